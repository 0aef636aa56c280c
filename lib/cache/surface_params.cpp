#include "cache/surface_params.h"

#include <algorithm>

namespace rtsim {

namespace {

constexpr Option kernel_options[] = {
    {"anisotropic", int(SurfaceParams::Kernels::anisotropic),
     "ellipsoids fitted to the neighbours, flat where the fluid is (Yu & Turk 2013)."},
    {"isotropic", int(SurfaceParams::Kernels::isotropic),
     "distance to averaged positions, cheaper and bumpier (Zhu & Bridson 2005)."},
};

void check_files(Describe& d, const std::vector<std::string>& files) {
  if (!d.given("files")) return;
  if (files.empty())
    d.fault("files", "must name at least one of \"ply\", \"obj\", \"stl\" and \"sdf\"");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i] != "ply" && files[i] != "obj" && files[i] != "stl" && files[i] != "sdf")
      d.fault("files",
              "must be of \"ply\", \"obj\", \"stl\" and \"sdf\", got \"" + files[i] + "\"");
    else if (std::find(files.begin(), files.begin() + long(i), files[i]) != files.begin() + long(i))
      d.fault("files", "names \"" + files[i] + "\" twice");
  }
}

}  // namespace

void describe(Describe& d, SurfaceParams& p) {
  d("files", p.files,
    "What it is written as: \"ply\" and \"stl\" (both binary) and \"obj\", triangles; \"sdf\", an "
    "OpenVDB level set in metres, of particles only. A mesh has its own triangles; the other keys "
    "are for particles.");
  check_files(d, p.files);
  d("voxels_per_spacing", p.voxels_per_spacing, "", between(1, 6),
    "Voxels across one spacing of the particles; triangles are about as large as a voxel.");
  const bool known = d.choice("kernels", p.kernels, kernel_options, "What each particle becomes:");
  if (!known || p.kernels == SurfaceParams::Kernels::anisotropic)
    d("smoothing", p.smoothing, "", between(0, 1),
      "How far unevenness of neighbouring particles is smoothed out: 0 not, 1 fully.");
  else if (d.given("smoothing"))
    d.fault("smoothing", "is for kernels \"anisotropic\"");
}

}  // namespace rtsim
