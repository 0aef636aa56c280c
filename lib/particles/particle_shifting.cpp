#include "particles/particle_shifting.h"

#include <algorithm>
#include <cmath>

#include "sph/motion.h"
#include "sph/shift.h"

namespace rtsim {

void describe(Describe& d, ShiftingParams& p) {
  d("strength", p.strength, "", between(0, 10),
    "A of the diffusion coefficient A h v_max, h = support * spacing / 2. Steps longer than "
    "h / (2 A v_max) shift as one of that length does, since more would overshoot and make "
    "energy.");
  d("pairing", p.pairing, "", at_least(0), "How much more near neighbours count, R.");
}

template <int D>
ParticleShifting<D>::ParticleShifting(const Exec& ex, const std::optional<ShiftingParams>& p)
    : p_(p), shift_(ex), change_(ex) {}

template <int D>
void ParticleShifting<D>::find(World& world, SphFluid<D>& fluid, Span<const Row4> motion,
                               double dt) {
  if (!p_) return;
  const std::size_t n = std::size_t(fluid.table(world).rows());
  shift_.resize(n), change_.resize(n);
  // Of the velocities as they are: other stages may have changed them since the fluid looked.
  const sph::Extremes now =
      sph::extremes<D>(world.exec, Real(1e30), fluid.velocity(world), Span<const Vec<D>>{});
  const double fastest = std::sqrt(double(now.speed2)), d = fluid.spacing, h = fluid.support / 2;
  const sph::Shifting law{
      .medium = fluid.medium,
      .fick = Real(std::min(p_->strength * h * fastest * dt, h * h / 2)),
      .pairing = Real(p_->pairing),
      .inv_spacing = 1 / fluid.medium.kernel.shape(Real(d * d)),
      .most = Real(0.1 * d),
      // Of a lattice under a plane surface the first row has 0.6 to 0.7 of D, the second at support
      // 3
      // 0.9.
      .least_trace = Real(0.75 * D),
      .dim = D};
  sph::find_shift(world.exec, law, {fluid.rows().cells, motion}, fluid.walls(), fluid.lists(),
                  fluid.position_rows(), shift_.span(), change_.span());
}

template <int D>
void ParticleShifting<D>::apply(World& world, const SphFluid<D>& fluid) {
  if (!p_) return;
  sph::apply_shift<D>(world.exec, shift_.span(), change_.span(), fluid.position(world),
                      fluid.velocity(world));
}

template class ParticleShifting<2>;
template class ParticleShifting<3>;

}  // namespace rtsim
