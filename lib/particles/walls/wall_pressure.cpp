#include "particles/walls/wall_pressure.h"

namespace rtsim {

template <int D>
WallPressure<D>::WallPressure(World& world, const SphFluid<D>& fluid, const SphParams& p)
    : limits_(
          world, p,
          double(fluid.medium.rest_density) * flat_limit<D>(fluid.medium.kernel, fluid.spacing)),
      k_(world),
      density_(world.exec),
      diagonal_(world.exec),
      rate_(world.exec),
      last_(world.exec),
      first_(world.exec),
      row_(world.exec),
      gradient_(world.exec) {
  if (limits_.empty()) return;
  k_.of(world, p.fluid.name, p.boundary.names);
}

template <int D>
void WallPressure<D>::add_pressure(World& world, const char* column, const char* unit) {
  k_.add(world, column, unit);
}

template <int D>
void WallPressure<D>::find(World& world, const SphFluid<D>& fluid, const pressure::Pairs& near) {
  if (empty()) return;
  const Exec& ex = world.exec;
  const Span<const Real> limit = limits_.gather(world, fluid.wall_order());
  k_.count(world);
  for (Buffer<Real>* b : {&density_, &diagonal_, &rate_, &last_}) b->resize(limits_.count());
  first_.resize(limits_.count() + 1);
  const std::size_t pairs =
      std::size_t(pressure::count_near_samples(ex, near, limit, first_.span()));
  row_.resize(pairs), gradient_.resize(pairs);
  pressure::find_samples(ex, near, limit, first_.span(), row_.span(), gradient_.span(),
                         density_.span(), diagonal_.span());
}

template <int D>
void WallPressure<D>::add_mobility(World& world, const pressure::Pairs& near,
                                   Span<const Real> mobility_bound) {
  pressure::add_mobility_of_samples(world.exec, near, lists(), mobility_bound, diagonal_.span());
}

template <int D>
Span<Real> WallPressure<D>::fetch(World& world, const SphFluid<D>& fluid, const char* column) {
  return empty() ? Span<Real>{} : k_.fetch(world, fluid.wall_order(), column);
}

template <int D>
void WallPressure<D>::store(World& world, const SphFluid<D>& fluid, const char* column) {
  if (!empty()) k_.store(world, fluid.wall_order(), column);
}

template <int D>
pressure::Target WallPressure<D>::target(const pressure::Target& rows) {
  return {rows.mending, rows.dt,          rows.rest_density, density_.span(),
          rate_.span(), diagonal_.span(), k_.packed()};
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
  return k_.packed();
}

template class WallPressure<2>;
template class WallPressure<3>;

}  // namespace rtsim
