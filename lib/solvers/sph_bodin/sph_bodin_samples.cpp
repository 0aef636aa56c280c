#include "solvers/sph_bodin/sph_bodin_samples.h"

#include "pressure/samples.h"

namespace rtsim {

namespace {
constexpr const char* column = "multiplier";
}

template <int D>
SphBodinSamples<D>::SphBodinSamples(World& world, const SphParams& p, double flat)
    : limits_(world, p, flat),
      multiplier_(world),
      coloured_(world.exec),
      first_(world.exec),
      count_(world.exec),
      columns_(world.exec),
      entries_(world.exec),
      inv_diagonal_(world.exec),
      offset_(world.exec) {
  if (limits_.empty()) return;
  multiplier_.of(world, p.fluid.name, p.boundary.names);
  multiplier_.add(world, column, "J");
}

template <int D>
template <class Kernel>
void SphBodinSamples<D>::assemble(World& world, const SphFluid<D>& fluid,
                                  const sph_bodin::Constraint& law, const Kernel& density) {
  if (limits_.empty()) return;
  const Exec& ex = world.exec;
  const Span<const Real> limit = limits_.gather(world, fluid.wall_order());
  const std::size_t n = limits_.count();
  multiplier_.count(world);
  first_.resize(n + 1), count_.resize(n), inv_diagonal_.resize(n), offset_.resize(n);
  const pressure::Pairs near{fluid.medium, fluid.rows(), fluid.walls(), fluid.lists()};
  const std::size_t room =
      std::size_t(pressure::count_near_samples(ex, near, limit, first_.span()));
  columns_.resize(room), entries_.resize(room);
  pressure::list_near_samples(ex, near, first_.span(), columns_.span());
  sph_bodin::colour_samples(ex, fluid.walls().cells, first_.span(), coloured_);
  sph_bodin::assemble_samples(ex, law, density, {fluid.rows(), fluid.walls(), fluid.lists()}, limit,
                              system());
}

template <int D>
void SphBodinSamples<D>::start(World& world, const SphFluid<D>& fluid,
                               const sph_bodin::Constraint& law, double scale, Span<Row4> motion) {
  if (limits_.empty()) return;
  sph_bodin::start_samples(world.exec, law, system(), fluid.walls().cells, coloured_, Real(scale),
                           multiplier_.fetch(world, fluid.wall_order(), column), motion);
}

template <int D>
void SphBodinSamples<D>::sweep(World& world, const SphFluid<D>& fluid,
                               const sph_bodin::Constraint& law, Span<Row4> motion) {
  if (limits_.empty()) return;
  sph_bodin::sweep_samples(world.exec, law, system(), fluid.walls().cells, coloured_,
                           multiplier_.packed(), motion);
}

template <int D>
void SphBodinSamples<D>::finish(World& world, const SphFluid<D>& fluid, double h) {
  if (limits_.empty()) return;
  sph_bodin::scale(world.exec, Real(1 / h), multiplier_.packed());
  multiplier_.store(world, fluid.wall_order(), column);
}

template <int D>
void SphBodinSamples<D>::push_on_samples(World& world, Span<Row4> force) {
  if (limits_.empty()) return;
  sph_bodin::push_on_samples(world.exec, system(), multiplier_.packed(), force);
}

template <int D>
sph_bodin::SampleSystem SphBodinSamples<D>::system() {
  return {first_.span(),   count_.span(),        entries_.span(),
          columns_.span(), inv_diagonal_.span(), offset_.span()};
}

template class SphBodinSamples<2>;
template class SphBodinSamples<3>;
template void SphBodinSamples<2>::assemble(World&, const SphFluid<2>&, const sph_bodin::Constraint&,
                                           const sph::Poly6&);
template void SphBodinSamples<3>::assemble(World&, const SphFluid<3>&, const sph_bodin::Constraint&,
                                           const sph::Poly6&);
template void SphBodinSamples<2>::assemble(World&, const SphFluid<2>&, const sph_bodin::Constraint&,
                                           const sph::Poly6h&);
template void SphBodinSamples<3>::assemble(World&, const SphFluid<3>&, const sph_bodin::Constraint&,
                                           const sph::Poly6h&);

}  // namespace rtsim
