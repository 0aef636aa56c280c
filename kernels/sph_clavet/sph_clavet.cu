#include "sph_clavet/sph_clavet.h"

#include "sph/pair_cells.h"
#include "sph_clavet/passes.h"

namespace rtsim::sph_clavet {

namespace {

template <class Pass>
void for_pairs(const Exec& ex, const char* label, const Pairs& p, const Pass& pass) {
  sph::for_pairs(ex, label, p.fluid, p.walls, p.lists, p.law.kernels.support, pass);
}

struct PushOfRow {
  Span<const Real> push, near_push;
  RTSIM_HD Real operator()(Index i) const { return std::abs(push[i]) + near_push[i]; }
};

}  // namespace

void numbers(const Exec& ex, const Pairs& p, Span<Real> push, Span<Real> near_push,
             Span<Real> density, Span<Real> pressure) {
  for_pairs(ex, "sph_clavet.numbers", p, NumberPass{p.law, push, near_push, density, pressure});
}

void relax(const Exec& ex, const Pairs& p, Real dt, Span<Row4> shift) {
  for_pairs(ex, "sph_clavet.relax", p, RelaxPass{p.law, dt * dt / 2, shift});
}

void relax_on_walls(const Exec& ex, const Pairs& p, Real dt, Real scale, Span<Row4> force) {
  sph::add_wall_reaction(ex, "sph_clavet.on_walls", p.fluid, p.walls, p.law.kernels.support,
                         -scale * (dt * dt / 2), RelaxPass{p.law, 0, {}}, force);
}

template <int D>
void slow(const Exec& ex, const Pairs& p, const Viscosity& viscosity, Span<Vec<D>> velocity) {
  for_pairs(ex, "sph_clavet.slow", p, ViscosityPass<D>{p.law, viscosity, velocity});
}

template <int D>
void grip(const Exec& ex, const Pairs& p, const WallGrip& grip, Span<const Vec<D>> velocity,
          Span<Row4> shift, Span<Row4> given) {
  for_pairs(ex, "sph_clavet.grip", p, GripPass<D>{p.law, grip, velocity, shift, given});
}

void grip_on_walls(const Exec& ex, const Pairs& p, Span<const Row4> shift, Span<const Row4> given,
                   Real scale, Span<Row4> force) {
  sph::add_wall_reaction(ex, "sph_clavet.grip_on_walls", p.fluid, p.walls, p.law.kernels.support,
                         -scale, GripBack{p.law, shift, given}, force);
}

Real greatest_push(const Exec& ex, Span<const Real> push, Span<const Real> near_push) {
  return reduce(ex, "sph_clavet.greatest", push.size, Real(0), PushOfRow{push, near_push}, Max{});
}

#define RTSIM_INSTANTIATE(D)                                                            \
  template void slow<D>(const Exec&, const Pairs&, const Viscosity&, Span<Vec<D>>);     \
  template void grip<D>(const Exec&, const Pairs&, const WallGrip&, Span<const Vec<D>>, \
                        Span<Row4>, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph_clavet
