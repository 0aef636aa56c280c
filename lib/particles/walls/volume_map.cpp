#include "particles/walls/volume_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "particles/walls/virtual_fan.h"
#include "shapes/shape.h"

namespace rtsim {

namespace {

constexpr double most_nodes = 3e7;  // half a gigabyte, five times that while it is made

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

void refuse_open(const Object& solid) {
  if (solid.shape->closed()) return;
  throw Error(ExitCode::bad_input,
              fmt::format("the mesh of '{}' is not closed, so it has no volume to map; close its "
                          "holes, or use \"boundary_method\": \"samples\"",
                          solid.name));
}

}  // namespace

template <int D>
VolumeMap make_volume_map(const Exec& ex, const Object& solid, const std::vector<Vec<D>>& samples,
                          const sph::CubicSpline& kernel, double spacing, double cell) {
  refuse_open(solid);
  refuse_thin<D>(*solid.shape, solid.name, samples, spacing);
  const double support = double(kernel.support);
  VolumeMap map{grid_around<D>(samples, support, cell, solid.name), Buffer<Row4>(ex)};
  const sph::MapGrid fine = finer(map.grid);
  const DistanceGrid distances(*solid.shape, fine, support + 2 * double(fine.cell));
  const Buffer<Real> distance(ex, std::span<const Real>(distances.values()));
  const std::vector<double> part =
      hidden_part([&](double r2) { return double(kernel.shape(Real(r2))); }, support, D);
  const std::vector<Real> narrowed(part.begin(), part.end());
  const Buffer<Real> hidden(ex, std::span<const Real>(narrowed));
  const sph::Profile1 profile{Real(-support), Real(hidden_steps / (2 * support)), hidden.span()};
  map.nodes.resize(std::size_t(map.grid.nodes()));
  sph::fill_map(ex, kernel, profile, Real(0.25 * spacing), fine, distance.span(), map.grid,
                map.nodes.span());
  return map;
}

template VolumeMap make_volume_map<2>(const Exec&, const Object&, const std::vector<Vec<2>>&,
                                      const sph::CubicSpline&, double, double);
template VolumeMap make_volume_map<3>(const Exec&, const Object&, const std::vector<Vec<3>>&,
                                      const sph::CubicSpline&, double, double);

}  // namespace rtsim
