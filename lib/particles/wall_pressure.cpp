#include "particles/wall_pressure.h"

#include <cmath>

namespace rtsim {

namespace {

// What a lattice of fluid gives to a sample a spacing below its first layer, over rest density.
double flat_limit(const sph::CubicSpline& kernel, int dim, double spacing) {
  const int reach = int(std::ceil(double(kernel.support) / spacing));
  double sum = 0;
  for (int y = 1; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x)
      for (int z = dim == 3 ? -reach : 0; z <= (dim == 3 ? reach : 0); ++z)
        sum += double(kernel.shape(Real((x * x + y * y + z * z) * spacing * spacing)));
  return double(kernel.scale) * sum * std::pow(spacing, dim);
}

bool has_pressure(const World& world, const std::string& boundary, const SphParams& p) {
  if (p.boundary_method == BoundaryMethod::volume_map) return false;
  return p.pressure_boundaries == PressureBoundaries::all ||
         (p.pressure_boundaries == PressureBoundaries::bodies &&
          world.object(boundary).kind == Kind::bodies);
}

}  // namespace

template <int D>
WallPressure<D>::WallPressure(World& world, const SphFluid<D>& fluid, const SphParams& p)
    : fluid_(p.fluid.name),
      limits_(world.exec),
      column_(world.exec),
      limit_(world.exec),
      k_(world.exec),
      density_(world.exec),
      diagonal_(world.exec),
      rate_(world.exec),
      last_(world.exec),
      first_(world.exec),
      row_(world.exec),
      gradient_(world.exec) {
  const Real flat =
      Real(double(fluid.medium.rest_density) * flat_limit(fluid.medium.kernel, D, fluid.spacing));
  std::vector<Real> limits;
  bool any = false;
  for (const std::string& b : p.boundary.names) {
    const bool own = has_pressure(world, b, p);
    for (const Real open : world.table(sample_table(b, fluid_)).template download<Real>("open"))
      limits.push_back(own ? flat * open : 0);
    any = any || own;
  }
  if (!any) return;
  boundaries_ = p.boundary.names;
  count_ = limits.size();
  limits_.upload(limits);
  for (Buffer<Real>* b : {&column_, &limit_, &k_, &density_, &diagonal_, &rate_, &last_})
    b->resize(count_);
}

template <int D>
void WallPressure<D>::add_pressure(World& world, const char* column, const char* unit) {
  for (const std::string& b : boundaries_)
    world.table(sample_table(b, fluid_)).template add<Real>({column, unit});
}

template <int D>
void WallPressure<D>::find(World& world, const SphFluid<D>& fluid, const pressure::Pairs& near) {
  if (empty()) return;
  const Exec& ex = world.exec;
  pressure::gather(ex, fluid.wall_order(), limits_.span(), limit_.span());
  first_.resize(count_ + 1);
  const std::size_t pairs =
      std::size_t(pressure::count_near_samples(ex, near, limit_.span(), first_.span()));
  row_.resize(pairs), gradient_.resize(pairs);
  pressure::find_samples(ex, near, limit_.span(), first_.span(), row_.span(), gradient_.span(),
                         density_.span(), diagonal_.span());
}

template <int D>
void WallPressure<D>::add_yield(World& world, const pressure::Pairs& near, Span<const Real> yield) {
  pressure::add_yield_of_samples(world.exec, near, lists(), yield, diagonal_.span());
}

template <int D>
Span<Real> WallPressure<D>::fetch(World& world, const SphFluid<D>& fluid, const char* column) {
  if (empty()) return {};
  std::size_t at = 0;
  for (const std::string& b : boundaries_) {
    const auto from = world.table(sample_table(b, fluid_)).template column<const Real>(column);
    world.exec.copy(column_.data() + at, from.data, std::size_t(from.size) * sizeof(Real));
    at += std::size_t(from.size);
  }
  pressure::gather(world.exec, fluid.wall_order(), column_.span(), k_.span());
  return k_.span();
}

template <int D>
void WallPressure<D>::store(World& world, const SphFluid<D>& fluid, const char* column) {
  if (empty()) return;
  pressure::scatter(world.exec, fluid.wall_order(), k_.span(), column_.span());
  std::size_t at = 0;
  for (const std::string& b : boundaries_) {
    const auto to = world.table(sample_table(b, fluid_)).template column<Real>(column);
    world.exec.copy(to.data, column_.data() + at, std::size_t(to.size) * sizeof(Real));
    at += std::size_t(to.size);
  }
}

template <int D>
pressure::Target WallPressure<D>::target(const pressure::Target& rows) {
  return {rows.goal,    rows.dt,          rows.rest_density, density_.span(),
          rate_.span(), diagonal_.span(), k_.span()};
}

template <int D>
void WallPressure<D>::find_rate(World& world, const pressure::Pairs& near, double dt,
                                bool by_distances) {
  if (by_distances)
    pressure::predicted_rate_of_samples(world.exec, near, lists(), Real(dt), rate_.span());
  else
    pressure::rate_of_samples(world.exec, near, lists(), rate_.span());
}

template <int D>
Span<const Real> WallPressure<D>::none() {
  k_.zero();
  return k_.span();
}

template class WallPressure<2>;
template class WallPressure<3>;

}  // namespace rtsim
