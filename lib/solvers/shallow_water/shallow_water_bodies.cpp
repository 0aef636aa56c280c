#include "solvers/shallow_water/shallow_water_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "grids/solids.h"
#include "shapes/distance_field.h"
#include "stage/boundary_pose.h"

namespace rtsim {

namespace {

void refuse_endless(const Object& boundary) {
  const Bounds b = boundary.shape->bounds();
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(b.min[a]) || !std::isfinite(b.max[a]))
      throw Error(ExitCode::bad_input, "'" + boundary.name +
                                           "' is turned inside out (\"inside\": true); bodies in "
                                           "shallow water are finite, the ground is its \"bed\"");
}

}  // namespace

WaterBodies::WaterBodies(World& world, const std::string& water,
                         const std::vector<std::string>& boundaries)
    : ex_(world.exec),
      water_(water),
      columns_(*world.object(water).grid),
      ground_(ex_),
      still_(ex_),
      raised_(ex_) {
  GridShape lattice = columns_;
  lattice.spans[1] = true;
  const double band = 2 * lattice.spacing;
  for (const std::string& name : boundaries) {
    const Object& boundary = world.object(name);
    if (boundary.kind == Kind::bodies) continue;
    refuse_deforming(boundary, "shallow water");
    if (boundary.moving) request_pose(world, name);
    moving_ = moving_ || boundary.moving;
    const GridShape own = grid_around(solid_shape(boundary), boundary.name, lattice, band);
    refuse_endless(boundary);
    const std::vector<Real> map = distance_field(solid_shape(boundary), own, band);
    maps_.push_back({name, own, Buffer<Real>(ex_, std::span<const Real>(map))});
  }
  if (empty()) return;
  Table& t = world.table(water);
  std::vector<Real> ground = t.download<Real>("bed"), still = t.download<Real>("depth");
  for (std::size_t c = 0; c < still.size(); ++c) still[c] += ground[c];
  ground_.upload(ground), still_.upload(still), raised_.resize(ground.size());
}

// The columns below the box of its map, and the heights of that box.
shallow_water::Body WaterBodies::place(const Map& m, World& world) const {
  shallow_water::Body b{{grid_view(m.grid), m.distance.span()}, {}, 0, 0, 0, 0, 0, 0};
  if (world.object(m.boundary).moving) b.pose = pose_of(world, m.boundary);
  double low[3], high[3];
  std::fill_n(low, 3, std::numeric_limits<double>::infinity());
  std::fill_n(high, 3, -std::numeric_limits<double>::infinity());
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d local = m.grid.centre(0);
    for (int a = 0; a < 3; ++a)
      if (corner >> a & 1) local[a] += (m.grid.cells[a] - 1) * m.grid.spacing;
    for (int a = 0; a < 3; ++a) {
      double x = double(b.pose.translation[a]);
      for (int e = 0; e < 3; ++e) x += double(b.pose.rotation[a][e]) * local[e];
      low[a] = std::min(low[a], x), high[a] = std::max(high[a], x);
    }
  }
  const auto cell = [&](double x, int axis, double round) {
    const double at = std::floor((x - columns_.low[axis]) / columns_.spacing) + round;
    return Index(std::clamp(at, 0.0, double(columns_.cells[axis])));
  };
  b.first_x = cell(low[0], 0, 0), b.first_z = cell(low[2], 2, 0);
  b.across = cell(high[0], 0, 1) - b.first_x, b.along = cell(high[2], 2, 1) - b.first_z;
  b.low = Real(low[1]), b.high = Real(high[1]);
  return b;
}

void WaterBodies::update(World& world) {
  if (empty()) return;
  raised_.zero();
  for (const Map& m : maps_) {
    const shallow_water::Body b = place(m, world);
    if (b.across > 0 && b.along > 0)
      shallow_water::raise(ex_, grid_view(columns_), b, ground_.span(), still_.span(),
                           raised_.span());
  }
  shallow_water::add(ex_, ground_.span(), raised_.span(), world.table(water_).column<Real>("bed"));
}

double WaterBodies::displaced() const {
  return columns_.spacing * columns_.spacing * shallow_water::sum(ex_, raised_.span());
}

}  // namespace rtsim
