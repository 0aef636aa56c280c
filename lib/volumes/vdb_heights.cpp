#include <openvdb/tools/Prune.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "volumes/vdb_file.h"

namespace rtsim {

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::Vec3f;
using openvdb::Vec3SGrid;

std::vector<float> numbers(const FrameObject& object, const char* name, int a = 0) {
  const auto c = std::ranges::find(object.columns, name, &FrameColumn::name);
  if (c == object.columns.end())
    throw Error(ExitCode::internal, "'" + object.name + "' has no column " + name);
  return component(*c, a);
}

// Columns of water seen at the middles of voxels.
class Water {
 public:
  Water(const FrameObject& object, double voxel)
      : g_(*object.grid), voxel_(voxel), bed_(numbers(object, "bed")), top_(bed_) {
    const std::vector<float> depth = numbers(object, "depth");
    for (std::size_t c = 0; c < top_.size(); ++c) top_[c] += depth[c];
    for (int a = 0; a < 3; ++a) count_[a] = int(std::lround(g_.cells[a] * g_.spacing / voxel));
  }

  int count(int axis) const { return count_[axis]; }
  double bed(int i, int k) const { return at(bed_, i, k); }
  double top(int i, int k) const { return at(top_, i, k); }
  // Linear between columns; beyond the sides the nearest.
  double at(const std::vector<float>& values, int i, int k) const {
    const Along x = along(i, 0), z = along(k, 2);
    const auto line = [&](Index row) {
      return (1 - x.share) * double(values[std::size_t(g_.row(x.low, 0, row))]) +
             x.share * double(values[std::size_t(g_.row(x.high, 0, row))]);
    };
    return (1 - z.share) * line(z.low) + z.share * line(z.high);
  }
  // How far outside the sides a voxel lies [m]; below 0 inside.
  double outside(int i, int k) const {
    const double x = (i + 0.5) * voxel_, z = (k + 0.5) * voxel_;
    return std::max(std::max(-x, x - g_.cells[0] * g_.spacing),
                    std::max(-z, z - g_.cells[2] * g_.spacing));
  }
  // Of the surface: 1 / sqrt(1 + slope^2), which makes a height a distance.
  double steepness(int i, int k) const {
    const double x = (top(i + 1, k) - top(i - 1, k)) / (2 * voxel_),
                 z = (top(i, k + 1) - top(i, k - 1)) / (2 * voxel_);
    return 1 / std::sqrt(1 + x * x + z * z);
  }

 private:
  struct Along {
    Index low, high;
    double share;
  };
  Along along(int i, int axis) const {
    const double last = g_.cells[axis] - 1;
    const double u = std::clamp((i + 0.5) * voxel_ / g_.spacing - 0.5, 0.0, last);
    const Index low = Index(u);
    return {low, std::min(low + 1, g_.cells[axis] - 1), u - low};
  }

  const GridShape& g_;
  double voxel_;
  std::vector<float> bed_, top_;
  int count_[3];
};

// Sums to the volume of the water; voxel j reaches from j - 1/2 to j + 1/2.
FloatGrid::Ptr fog(const Water& water, double voxel) {
  const FloatGrid::Ptr grid = FloatGrid::create(0);
  auto voxels = grid->getAccessor();
  for (int k = 0; k < water.count(2); ++k)
    for (int i = 0; i < water.count(0); ++i) {
      const double low = water.bed(i, k) / voxel + 0.5, high = water.top(i, k) / voxel + 0.5;
      for (int j = int(std::floor(low)); j < high; ++j) {
        const double share = std::min(high, j + 1.0) - std::max(low, double(j));
        if (share > 0) voxels.setValue({i, j, k}, float(share));
      }
    }
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  return grid;
}

// Below the surface, above the ground and within the sides.
FloatGrid::Ptr level_set_of(const Water& water, double voxel) {
  constexpr int band = 3;
  const float background = float(band * voxel);
  const FloatGrid::Ptr grid = FloatGrid::create(background);
  auto voxels = grid->getAccessor();
  for (int k = -band; k < water.count(2) + band; ++k)
    for (int i = -band; i < water.count(0) + band; ++i) {
      const double low = water.bed(i, k), high = water.top(i, k), tilt = water.steepness(i, k);
      const int last = int(std::ceil(high / voxel)) + band;
      for (int j = int(std::floor(low / voxel)) - band; j <= last; ++j) {
        const double y = j * voxel;
        const float d = float(std::max({tilt * (y - high), low - y, water.outside(i, k)}));
        if (d <= -background)
          voxels.setValueOff({i, j, k}, -background);
        else if (d < background)
          voxels.setValue({i, j, k}, d);
      }
    }
  openvdb::tools::pruneLevelSet(grid->tree());
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  return grid;
}

Vec3SGrid::Ptr velocity_of(const FrameObject& object, const Water& water, const FloatGrid& where) {
  const Vec3SGrid::Ptr grid = Vec3SGrid::create(Vec3f(0));
  auto voxels = grid->getAccessor();
  const std::vector<float> u = numbers(object, "velocity", 0), v = numbers(object, "velocity", 2);
  for (auto it = where.cbeginValueOn(); it; ++it) {
    const Coord c = it.getCoord();
    voxels.setValue(c,
                    Vec3f(float(water.at(u, c.x(), c.z())), 0, float(water.at(v, c.x(), c.z()))));
  }
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  return grid;
}

}  // namespace

void write_heights_vdb(const std::filesystem::path& path, const RunInfo& info, const Frame& frame,
                       const FrameFile& what) {
  const FrameObject& object = what.object;
  const double voxel = what.output.voxel > 0 ? what.output.voxel : object.spacing;
  const Water water(object, voxel);
  std::vector<NamedGrid> grids;
  with_threads(info.threads, [&] {
    const FloatGrid::Ptr density = fog(water, voxel);
    grids = {{"density", "1", density}, {"surface", "m", level_set_of(water, voxel)}};
    if (std::ranges::count(object.columns, "velocity", &FrameColumn::name))
      grids.push_back({"velocity", "m/s", velocity_of(object, water, *density)});
  });
  const Vec3d& low = object.grid->low;
  write_vdb_file(path, info, frame, object, object.name, grids,
                 {voxel, {{low[0] + 0.5 * voxel, 0, low[2] + 0.5 * voxel}}}, what.output.half);
}

}  // namespace rtsim
