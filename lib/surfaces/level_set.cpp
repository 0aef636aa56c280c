#include <openvdb/tools/FastSweeping.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cmath>

#include "surfaces/signed_field.h"

namespace rtsim {

using openvdb::FloatGrid;

FloatGrid::Ptr signed_field(const std::vector<openvdb::Vec3d>& x, double spacing,
                            const SurfaceParams& p) {
  return p.kernels == SurfaceParams::Kernels::isotropic ? averaged_field(x, spacing)
                                                        : ellipsoid_field(x, spacing, p.smoothing);
}

FloatGrid::Ptr level_set(const FloatGrid& field, double voxel) {
  const float half_width = float(openvdb::LEVEL_SET_HALF_WIDTH);  // of the narrow band, in voxels
  const FloatGrid::Ptr grid = FloatGrid::create(float(half_width * voxel));
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  if (field.empty()) return grid;
  const FloatGrid::Ptr distance = openvdb::tools::sdfToSdf(field);
  auto voxels = grid->getAccessor();
  for (auto d = distance->cbeginValueOn(); d; ++d)
    if (std::abs(*d) < half_width) voxels.setValue(d.getCoord(), float(*d * voxel));
  openvdb::tools::signedFloodFill(grid->tree());
  return grid;
}

}  // namespace rtsim
