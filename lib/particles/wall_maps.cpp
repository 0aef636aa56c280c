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

using Kernel = std::function<double(double)>;  // of r^2

// The part of the kernel beyond a plane, for distances of the plane from -H to H.
std::vector<double> hidden_part(const Kernel& kernel, double support, int dim) {
  const double step = 2 * support / hidden_steps, pi = 3.14159265358979323846;
  std::vector<double> sheet(hidden_steps + 1, 0.0);  // of the kernel in the plane at -H + k step
  for (int k = 0; k <= hidden_steps; ++k)
    for (int l = 0; l < hidden_steps; ++l) {
      const double z = -support + k * step, rho = (l + 0.5) * step / 2;
      sheet[std::size_t(k)] += kernel(z * z + rho * rho) * (dim == 3 ? 2 * pi * rho : 1);
    }
  std::vector<double> beyond(sheet.size(), 0.0);
  for (std::size_t k = sheet.size() - 1; k > 0; --k)
    beyond[k - 1] = beyond[k] + 0.5 * (sheet[k] + sheet[k - 1]);
  for (std::size_t k = beyond.size(); k-- > 0;) beyond[k] /= beyond[0];
  return beyond;
}

double slope(const Kernel& kernel, double r, double step) {
  const double a = r + step, b = r - step;
  return (kernel(a * a) - kernel(b * b)) / (2 * step);
}

// Sums over neighbours of a row: of W, of its slope along the normal of a plane, and of what
// viscous forces along the plane go with.
struct PlaneSums {
  double sum = 0, pull = 0, drag = 0;

  void add(const Kernel& kernel, double s, double normal, double aside2, double one_way2) {
    const double r = std::sqrt(normal * normal + aside2), w = slope(kernel, r, 1e-4 * s);
    sum += kernel(r * r), pull += w * normal / r, drag += w * one_way2 / (r * r * r);
  }
};

// What a lattice of spacing s at rest half a spacing from a plane misses beyond it.
PlaneSums missing(const Kernel& kernel, double support, double s, int dim) {
  PlaneSums m;
  const int reach = int(std::ceil(support / s));
  for (int layer = 1; layer <= reach; ++layer)
    for (int i = -reach; i <= reach; ++i)
      for (int j = dim == 3 ? -reach : 0; j <= (dim == 3 ? reach : 0); ++j)
        m.add(kernel, s, layer * s, (i * i + j * j) * s * s, i * i * s * s);
  return m;
}

// Where the virtual neighbours of a row at rest stand: r along the normal and b aside, so that
// sum, pull and drag are in the proportions of the lattice.
struct FanPlace {
  double r, b;

  static FanPlace like(const PlaneSums& lattice, const Kernel& kernel, double support, double s,
                       int dim) {
    FanPlace f{s, 0.5 * s};
    for (int k = 0; k < 100; ++k) {
      f.r = f.distance(lattice, kernel, support, s);
      const double share = (dim - 1) * lattice.drag / lattice.pull * f.r;  // b^2 / (r^2 + b^2)
      f.b = std::sqrt(0.5 * (f.b * f.b + f.r * f.r * share / (1 - share)));
    }
    return f;
  }

  double distance(const PlaneSums& lattice, const Kernel& kernel, double support, double s) const {
    double low = 0.1 * s, high = 0.99 * std::sqrt(support * support - b * b);
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      PlaneSums one;
      one.add(kernel, s, middle, b * b, 0);
      (one.pull * lattice.sum > lattice.pull * one.sum ? low : high) = middle;
    }
    return low;
  }
};

sph::Profile1 profile(double first, double step, const Buffer<Real>& values) {
  return {Real(first), Real(1 / step), values.span()};
}

int volume_ends(double support, double spacing) {
  return int(std::ceil(support / spacing * volume_steps));
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
      reach_(ex_),
      aside_(ex_),
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
  const std::vector<double> part =
      hidden_part([&](double r2) { return double(kernel.shape(Real(r2))); }, support_, D);
  const std::vector<Real> narrowed(part.begin(), part.end());
  const Buffer<Real> hidden(ex_, std::span<const Real>(narrowed));
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

// With s the spacing, hidden(delta) the part of the kernel beyond a plane at delta, and m virtual
// neighbours at the distance rho(delta)^2 = r^2 + b^2,
//
//   m V(delta) W(rho) = s^D (sum of W over what a lattice at s/2 misses) hidden(delta) /
//   hidden(s/2)
//
// At s/2 the sums of slopes and of viscous forces are the lattice's too, which fixes r and b there.
// At the surface r = s/2, where samples would be, and the neighbours stand closer together, so that
// contact laws push as one sample does. They stay behind rows that went below the surface, and go
// on pushing them out. rho(H) = H.
template <int D>
void WallMaps<D>::calibrate(const Kernel& kernel) {
  if (empty() || volume_.size() > 0) return;
  const double s = spacing_, H = support_;
  const PlaneSums lattice = missing(kernel, H, s, D);
  const FanPlace rest = FanPlace::like(lattice, kernel, H, s, D);
  const std::vector<double> hidden = hidden_part(kernel, H, D);
  const auto part = [&](double delta) {
    const double t = std::clamp((delta + H) / (2 * H) * hidden_steps, 0.0, hidden_steps - 1e-9);
    const std::size_t k = std::size_t(t);
    return hidden[k] + (t - double(k)) * (hidden[k + 1] - hidden[k]);
  };
  const double furthest = std::sqrt(H * H - rest.b * rest.b);
  std::vector<Real> reach, aside, volume;
  const int ends = volume_ends(H, s);
  for (int k = -ends; k <= ends; ++k) {
    const double delta = k * s / volume_steps;
    double r = std::max(delta + 0.5 * s, 0.25 * s);
    if (delta > 0) r = 0.5 * s + (rest.r - 0.5 * s) * delta / (0.5 * s);
    if (delta > 0.5 * s) r = rest.r + (furthest - rest.r) * (delta - 0.5 * s) / (H - 0.5 * s);
    const double b = rest.b * std::clamp(0.55 + 0.45 * delta / (0.5 * s), 0.55, 1.0);
    const double w = sph::fan<D> * kernel(r * r + b * b);
    const double sum = std::pow(s, D) * lattice.sum * part(delta) / part(0.5 * s);
    reach.push_back(Real(r)), aside.push_back(Real(b));
    volume.push_back(Real(w > 1e-4 * kernel(0) ? sum / w : 0));
  }
  reach_.upload(std::span<const Real>(reach)), aside_.upload(std::span<const Real>(aside));
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
  const Index own = own_rows();
  const std::size_t n = std::size_t(fluid.size) * std::size_t(own);
  rows_.resize(n + lane_count), motion_.resize(n + lane_count);
  const double step = spacing_ / volume_steps, first = -volume_ends(support_, spacing_) * step;
  const sph::VirtualNeighbours law{Real(support_), profile(first, step, reach_),
                                   profile(first, step, aside_), profile(first, step, volume_)};
  poses_.resize(maps_.size()), ahead_ = ahead;
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    poses_[k] = pose(world, maps_[k]);
    sph::place_virtual<D>(ex_, {maps_[k].grid, maps_[k].nodes.span()}, poses_[k], law, Real(ahead),
                          fluid, Index(k) * sph::fan<D>, own, rows_.span(), motion_.span());
  }
  if (!forces_wanted_) return;
  force_.resize(n);
  force_.zero();
}

template <int D>
void WallMaps<D>::aim(World& world) {
  for (std::size_t k = 0; k < maps_.size(); ++k) {
    if (maps_[k].pose_table.empty()) continue;
    const boundary::Pose now = pose(world, maps_[k]);
    poses_[k].velocity = now.velocity, poses_[k].angular_velocity = now.angular_velocity;
    poses_[k].centre = now.centre;
    sph::move_virtual<D>(ex_, now, Index(k) * sph::fan<D>, own_rows(), cells().rows,
                         motion_.span());
  }
}

// A quarter of a spacing is as deep as contact laws let fluid go.
template <int D>
void WallMaps<D>::keep_out(Span<const Row4> fluid, Span<Row4> motion, double mass, double dt) {
  for (std::size_t k = 0; k < maps_.size(); ++k)
    sph::keep_out<D>(ex_, {maps_[k].grid, maps_[k].nodes.span()}, poses_[k], Real(-0.25 * spacing_),
                     Real(ahead_), Real(dt), fluid, motion, Index(k) * sph::fan<D>, own_rows(),
                     Real(mass / dt), rows_.span(), forces_wanted_ ? force_.span() : Span<Row4>());
}

template <int D>
CellRows WallMaps<D>::cells() const {
  return {{}, {}, {rows_.data(), rows()}, own_rows()};
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
        sph::sum_virtual<D>(ex_, Index(k) * sph::fan<D>, own_rows(), cells().rows, force_.span());
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
