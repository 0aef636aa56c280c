#include <cmath>

#include "surfaces/signed_field.h"
#include "volumes/vdb_file.h"
#include "volumes/volume_writers.h"

namespace rtsim {

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using Point = openvdb::Vec3d;  // in voxels

// Each particle's volume spread over its eight nearest voxels with trilinear weights: their sum is
// the volume of all particles. In the plane the volume is areal and one layer of voxels holds it.
FloatGrid::Ptr splat_density(const std::vector<Point>& x, double spacing, double voxel, int dim) {
  const FloatGrid::Ptr grid = FloatGrid::create(0);
  const double fraction = std::pow(spacing / voxel, dim);
  auto voxels = grid->getAccessor();
  for (const Point& p : x) {
    const Coord c = Coord::floor(p);
    const Point f = p - c.asVec3d();
    for (int k = 0; k < 8; ++k) {
      const double weight =
          (k & 1 ? f[0] : 1 - f[0]) * (k & 2 ? f[1] : 1 - f[1]) * (k & 4 ? f[2] : 1 - f[2]);
      if (weight == 0) continue;
      const auto add = [&](float& v) { v += float(weight * fraction); };
      voxels.modifyValue(c.offsetBy(k & 1, k >> 1 & 1, k >> 2), add);
    }
  }
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  return grid;
}

}  // namespace

void write_volumes(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                   const FrameFile& what) {
  openvdb::initialize();
  const FrameObject& object = what.object;
  if (object.kind == Kind::height_field) return write_heights_vdb(path, info, frame, what);
  if (object.grid) return write_grid_vdb(path, info, frame, what);
  const double voxel = what.output.voxel > 0 ? what.output.voxel : object.spacing;
  const std::vector<Point> x = positions_in_voxels(object, voxel);
  const FloatGrid::Ptr density = splat_density(x, object.spacing, voxel, object.dim);
  FloatGrid::Ptr surface;
  with_threads(info.threads,
               [&] { surface = level_set(*averaged_field(x, object.spacing / voxel), voxel); });
  write_vdb_file(path, info, frame, object, object.name,
                 {{"density", "1", density}, {"surface", "m", surface}}, {voxel}, what.output.half);
}

}  // namespace rtsim
