#include "particles/wall_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "shapes/shape.h"

namespace rtsim {

namespace {

constexpr double most_nodes =
    3e7;                          // of one map: half a gigabyte, three times that while it is made
constexpr int volume_steps = 64;  // to a spacing; even, so that a fluid at rest meets a step

constexpr int hidden_steps = 256;  // across the kernel

// The part of the kernel beyond a plane, for distances of the plane from -H to H.
std::vector<Real> hidden_part(const sph::CubicSpline& kernel, int dim) {
  const double support = double(kernel.support), step = 2 * support / hidden_steps;
  const double pi = 3.14159265358979323846;
  std::vector<double> sheet(hidden_steps + 1, 0.0);  // of the kernel in the plane at -H + k step
  for (int k = 0; k <= hidden_steps; ++k)
    for (int l = 0; l < hidden_steps; ++l) {
      const double z = -support + k * step, rho = (l + 0.5) * step / 2;
      const double w = double(kernel.shape(Real(z * z + rho * rho)));
      sheet[std::size_t(k)] += w * (dim == 3 ? 2 * pi * rho : 2) * step / 2;
    }
  std::vector<double> beyond(sheet.size(), 0.0);
  for (std::size_t k = sheet.size() - 1; k > 0; --k)
    beyond[k - 1] = beyond[k] + 0.5 * step * (sheet[k] + sheet[k - 1]);
  std::vector<Real> part;
  for (double b : beyond) part.push_back(Real(b / beyond[0]));
  return part;
}

sph::Profile1 profile(double first, double step, const Buffer<Real>& values) {
  return {Real(first), Real(1 / step), values.span()};
}

// The signed distance at the nodes of a grid, exact within `band` of the surface, +-band elsewhere:
// blocks are halved until none of their nodes can be near (the distance is 1-Lipschitz).
class DistanceGrid {
 public:
  DistanceGrid(const Shape& shape, const sph::MapGrid& grid, double band)
      : shape_(shape), grid_(grid), band_(band), values_(std::size_t(grid.nodes())) {
    fill({0, 0, 0}, {grid.count[0], grid.count[1], grid.count[2]});
  }
  const std::vector<Real>& values() const { return values_; }

 private:
  using Node = std::array<Index, 3>;

  void fill(const Node& low, const Node& high) {
    Vec3d middle;
    double r2 = 0;
    int axis = 0;
    for (int a = 0; a < 3; ++a) {
      const std::size_t s = std::size_t(a);
      const double cell = double(grid_.cell), half = 0.5 * (high[s] - low[s] - 1) * cell;
      middle[a] = double(grid_.low[a]) + low[s] * cell + half;
      r2 += half * half;
      if (high[s] - low[s] > high[std::size_t(axis)] - low[std::size_t(axis)]) axis = a;
    }
    const double d = shape_.distance(middle);
    if (r2 == 0 || std::abs(d) > band_ + std::sqrt(r2))
      return set(low, high, std::clamp(d, -band_, band_));
    Node left = high, right = low;
    const std::size_t s = std::size_t(axis);
    left[s] = right[s] = (low[s] + high[s]) / 2;
    fill(low, left), fill(right, high);
  }

  void set(const Node& low, const Node& high, double d) {
    for (Index k = low[2]; k < high[2]; ++k)
      for (Index j = low[1]; j < high[1]; ++j)
        for (Index i = low[0]; i < high[0]; ++i)
          values_[std::size_t(grid_.index(i, j, k))] = Real(d);
  }

  const Shape& shape_;
  const sph::MapGrid grid_;
  double band_;
  std::vector<Real> values_;
};

// Fluid pours through what is thinner than a map can hold: samples half a spacing deep exist
// everywhere else.
template <int D>
void refuse_thin(const Shape& shape, const std::string& name, const std::vector<Vec<D>>& samples,
                 double spacing) {
  const auto thin = std::count_if(samples.begin(), samples.end(), [&](const Vec<D>& x) {
    return -shape.distance(widen(x)) < 0.45 * spacing;
  });
  if (thin == 0) return;
  throw Error(ExitCode::bad_input,
              fmt::format("'{}' is thinner than the fluid's spacing of {} m in places ({} of {} "
                          "samples), where a volume map would leak; use \"boundary_method\": "
                          "\"samples\", a smaller spacing or a thicker wall",
                          name, spacing, thin, samples.size()));
}

// Around the samples, which are cut to where the scene is, and beyond them by the kernel's support.
template <int D>
sph::MapGrid grid_around(const std::vector<Vec<D>>& samples, double support, double cell,
                         const std::string& name) {
  Vec<D> low = samples[0], high = samples[0];
  for (const Vec<D>& x : samples)
    for (int a = 0; a < D; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  sph::MapGrid grid{{}, Real(cell), {1, 1, 1}};
  double nodes = 1;
  for (int a = 0; a < D; ++a) {
    grid.low[a] = Real(double(low[a]) - support - cell);
    const double n = std::ceil((double(high[a] - low[a]) + 2 * support) / cell) + 3;
    nodes *= n;
    grid.count[a] = Index(std::min(n, most_nodes));
  }
  if (nodes <= most_nodes) return grid;
  throw Error(ExitCode::bad_input,
              fmt::format("the volume map of '{}' would have {:.2g} nodes of {} m, at most {:.2g} "
                          "are possible; use a \"map_cell\" of {:.2g} m or more, or "
                          "\"boundary_method\": \"samples\"",
                          name, nodes, cell, most_nodes,
                          1.05 * cell * std::pow(nodes / most_nodes, 1.0 / D)));
}

sph::MapGrid finer(sph::MapGrid grid) {
  grid.cell /= Real(sph::distance_nodes);
  for (Index& n : grid.count) n = n > 1 ? sph::distance_nodes * (n - 1) + 1 : 1;
  return grid;
}

}  // namespace

template <int D>
WallMaps<D>::WallMaps(World& world, const std::string& fluid,
                      const std::vector<std::string>& boundaries, const sph::CubicSpline& kernel,
                      double spacing, double cell)
    : ex_(world.exec),
      spacing_(spacing),
      support_(double(kernel.support)),
      volume_(ex_),
      rows_(ex_),
      motion_(ex_),
      force_(ex_),
      total_(boundaries.size()) {
  for (const std::string& b : boundaries)
    maps_.push_back(make_map(world, b, sample_table(b, fluid), kernel, cell));
}

template <int D>
typename WallMaps<D>::Map WallMaps<D>::make_map(World& world, const std::string& name,
                                                const std::string& samples,
                                                const sph::CubicSpline& kernel, double cell) const {
  const Object& object = world.object(name);
  const Shape& shape = *object.shape;
  if (!shape.closed())
    throw Error(ExitCode::bad_input,
                fmt::format("the mesh of '{}' is not closed, so it has no volume to map; close its "
                            "holes, or use \"boundary_method\": \"samples\"",
                            name));
  const auto local = world.table(samples).download<Vec<D>>("local");
  refuse_thin<D>(shape, name, local, spacing_);
  Map map{grid_around<D>(local, support_, cell, name), Buffer<Row4>(ex_), {}};
  const sph::MapGrid fine = finer(map.grid);
  const DistanceGrid distances(shape, fine, support_ + 2 * double(fine.cell));
  const Buffer<Real> distance(ex_, std::span<const Real>(distances.values()));
  const std::vector<Real> part = hidden_part(kernel, D);
  const Buffer<Real> hidden(ex_, std::span<const Real>(part));
  map.nodes.resize(std::size_t(map.grid.nodes()));
  sph::fill_map(ex_, kernel, profile(-support_, 2 * support_ / hidden_steps, hidden),
                Real(0.25 * spacing_), fine, distance.span(), map.grid, map.nodes.span());
  if (object.moving) {
    map.pose_table = pose_table(name);
    if (!world.has_table(map.pose_table))
      world.add_table(map.pose_table, pose_rows).template add<Vec3d>({"pose", "", Role::scratch});
  }
  return map;
}

// V(delta) W(delta + s/2) = s^D sum over the lattice of samples that would fill the solid, s the
// spacing, the first layer half a spacing deep, in step with the fluid's.
template <int D>
void WallMaps<D>::calibrate(const std::function<double(double)>& kernel) {
  if (empty() || volume_.size() > 0) return;
  const double s = spacing_, step = s / volume_steps;
  const int reach = int(std::ceil(support_ / s)), half = int(std::ceil(support_ / step));
  std::vector<Real> volume;
  for (int k = -half; k <= half; ++k) {
    const double delta = k * step, r = std::max(delta + 0.5 * s, 0.1 * s);
    double sum = 0;
    for (int layer = 0; layer <= 2 * reach; ++layer)
      for (int i = -reach; i <= reach; ++i)
        for (int j = D == 3 ? -reach : 0; j <= (D == 3 ? reach : 0); ++j) {
          const double z = delta + (layer + 0.5) * s;
          sum += kernel(z * z + (i * i + j * j) * s * s);
        }
    const double own = kernel(r * r);
    volume.push_back(Real(own > 0 ? std::pow(s, D) * sum / own : 0));
  }
  volume_.upload(std::span<const Real>(volume));
}

template <int D>
boundary::Pose WallMaps<D>::pose(World& world, const Map& map) const {
  boundary::Pose p;
  if (map.pose_table.empty()) return p;
  const auto rows = world.table(map.pose_table).template download<Vec3d>("pose");
  for (std::size_t k = 0; k < 3; ++k) p.rotation[k] = narrow<3>(rows[k]);
  p.translation = narrow<3>(rows[3]), p.velocity = narrow<3>(rows[4]);
  p.angular_velocity = narrow<3>(rows[5]), p.centre = narrow<3>(rows[6]);
  return p;
}

template <int D>
void WallMaps<D>::update(World& world, Span<const Row4> fluid, double ahead) {
  if (empty()) return;
  if (forces_wanted_) collect_forces();
  const Index own = Index(maps_.size());
  const std::size_t n = std::size_t(fluid.size) * maps_.size();
  rows_.resize(n + lane_count), motion_.resize(n + lane_count);
  const double step = spacing_ / volume_steps, first = -std::ceil(support_ / step) * step;
  const sph::VirtualNeighbour law{Real(spacing_), Real(support_), profile(first, step, volume_)};
  for (Index k = 0; k < own; ++k) {
    const Map& m = maps_[std::size_t(k)];
    sph::place_virtual<D>(ex_, {m.grid, m.nodes.span()}, pose(world, m), law, Real(ahead), fluid, k,
                          own, rows_.span(), motion_.span());
  }
  if (!forces_wanted_) return;
  force_.resize(n);
  force_.zero();
}

template <int D>
void WallMaps<D>::aim(World& world) {
  for (std::size_t k = 0; k < maps_.size(); ++k)
    if (!maps_[k].pose_table.empty())
      sph::move_virtual<D>(ex_, pose(world, maps_[k]), Index(k), Index(maps_.size()), cells().rows,
                           motion_.span());
}

template <int D>
CellRows WallMaps<D>::cells() const {
  return {{}, {}, {rows_.data(), rows()}, Index(maps_.size())};
}

template <int D>
Index WallMaps<D>::rows() const {
  return rows_.size() > 0 ? Index(rows_.size()) - lane_count : 0;
}

template <int D>
void WallMaps<D>::begin_forces() {
  forces_wanted_ = true;
  total_.assign(maps_.size(), {});
  force_.resize(std::size_t(rows()));
  force_.zero();
}

// Wall rows are other ones after every update: what they got is kept by boundary.
template <int D>
void WallMaps<D>::collect_forces() {
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    const sph::ForceAndTorque f =
        sph::sum_virtual(ex_, Index(k), Index(maps_.size()), cells().rows, force_.span());
    for (int a = 0; a < 3; ++a)
      total_[k].force[a] += f.force[a], total_[k].torque[a] += f.torque[a];
  }
  force_.zero();
}

template <int D>
void WallMaps<D>::end_forces(int count) {
  collect_forces();
  forces_wanted_ = false;
  for (sph::ForceAndTorque& t : total_)
    for (int a = 0; a < 3; ++a) t.force[a] /= count, t.torque[a] /= count;
}

template class WallMaps<2>;
template class WallMaps<3>;

}  // namespace rtsim
