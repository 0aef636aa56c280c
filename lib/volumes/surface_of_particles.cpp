#include <algorithm>

#include "base/error.h"
#include "cache/mesh_faces.h"
#include "surfaces/signed_field.h"
#include "volumes/vdb_file.h"
#include "volumes/volume_writers.h"

namespace rtsim {

namespace fs = std::filesystem;
using openvdb::FloatGrid;

void write_surface_of_particles(const RunInfo& info, const Frame& frame, const FrameFile& what,
                                const SurfaceSink& sink) {
  openvdb::initialize();
  const FrameObject& object = what.object;
  if (object.dim != 3)
    throw Error(ExitCode::bad_input, "'" + object.name +
                                         "' lies in the plane: a \"surface\" is "
                                         "made of particles in space only");
  const SurfaceParams& params = what.output.surface;
  const double voxel = object.spacing / params.voxels_per_spacing;
  FloatGrid::Ptr field, distance;
  TriangleMesh mesh;
  const auto wants = [&](const char* file) {
    return std::ranges::find(params.files, file) != params.files.end();
  };
  with_threads(info.threads, [&] {
    field = signed_field(positions_in_voxels(object, voxel), params.voxels_per_spacing, params);
    if (wants("sdf")) distance = level_set(*field, voxel);
    if (wants("ply") || wants("obj") || wants("stl")) mesh = surface_mesh(*field, voxel);
  });
  for (const std::string& file : params.files) {
    if (file != "sdf") {
      write_triangles(frame, object, mesh, file, sink);
      continue;
    }
    sink(file, [&](const fs::path& path) {
      write_vdb_file(path, info, frame, object, object.name + ".surface",
                     {{"surface", "m", distance}}, {voxel}, false);
    });
  }
}

}  // namespace rtsim
