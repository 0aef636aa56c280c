#include <openvdb/tools/Dense.h>

#include <algorithm>

#include "volumes/vdb_file.h"

namespace rtsim {

namespace {

bool is_real(const FrameColumn& c) {
  return c.type.scalar == Scalar::f32 || c.type.scalar == Scalar::f64;
}

// Only blocks of voxels that differ from zero somewhere take memory.
template <class Grid, class Value>
typename Grid::Ptr sparse(const openvdb::CoordBBox& box, std::vector<Value>& values) {
  const openvdb::tools::Dense<Value, openvdb::tools::LayoutXYZ> dense(box, values.data());
  const auto grid = Grid::create();
  openvdb::tools::copyFromDense(dense, *grid, Value(0.0f), /*serial=*/false);
  return grid;
}

openvdb::GridBase::Ptr volume(const openvdb::CoordBBox& box, const FrameColumn& c) {
  if (c.type.components == 1) {
    std::vector<float> values = component(c, 0);
    const auto grid = sparse<openvdb::FloatGrid>(box, values);
    grid->setGridClass(openvdb::GRID_FOG_VOLUME);
    return grid;
  }
  std::vector<openvdb::Vec3f> values(c.bytes.size() / c.type.bytes(), openvdb::Vec3f(0));
  for (int a = 0; a < std::min(3, c.type.components); ++a) {
    const std::vector<float> along = component(c, a);
    for (std::size_t i = 0; i < values.size(); ++i) values[i][a] = along[i];
  }
  const auto grid = sparse<openvdb::Vec3SGrid>(box, values);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  return grid;
}

}  // namespace

void write_grid_vdb(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                    const FrameFile& what) {
  const FrameObject& object = what.object;
  const GridShape& g = *object.grid;
  const openvdb::CoordBBox box(0, 0, 0, g.cells[0] - 1, g.cells[1] - 1, g.cells[2] - 1);
  std::vector<NamedGrid> grids;
  with_threads(info.threads, [&] {
    for (const FrameColumn& c : object.columns)
      if (is_real(c)) grids.push_back({c.name, c.unit, volume(box, c)});
  });
  write_vdb_file(path, info, frame, object, object.name, grids, {g.spacing, g.centre(0)},
                 what.output.half);
}

}  // namespace rtsim
