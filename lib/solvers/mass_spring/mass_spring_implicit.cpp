#include <algorithm>
#include <cmath>

#include "solvers/mass_spring/mass_spring_steps.h"

namespace rtsim {

ImplicitSteps::ImplicitSteps(const Exec& ex, const MassSpringParams& p)
    : params_(p.solve),
      middle_(p.integrator == SpringIntegrator::implicit_midpoint),
      blocks_(ex),
      inertia_(ex),
      inverse_diagonal_(ex),
      filter_(ex),
      b_(ex),
      r_(ex),
      p_(ex),
      q_(ex),
      v_(ex),
      change_(ex),
      trial_(ex) {}

void ImplicitSteps::resize(const SpringStep& s) {
  blocks_.resize(std::size_t(s.network.slots.size));
  inertia_.resize(s.springs.rows());
  inverse_diagonal_.resize(s.springs.rows() / std::size_t(lane_count));
  for (Buffer<Row4>* b : {&filter_, &b_, &r_, &p_, &q_, &v_}) b->resize(s.springs.rows());
}

// Linearised at the start of the step, the system is for the new velocities themselves (Baraff &
// Witkin 1998, eq. 6, with v for v0 + dv); from there Newton's steps go on.
void ImplicitSteps::advance(const SpringStep& s, ImplicitSolve& all) {
  resize(s);
  const Real h = Real(middle_ ? 0.5 * s.h : s.h);

  mass_spring::pack(s.exec, s.points.velocity, v_.span());
  linearise(s, h, 0);
  s.springs.plates().forces(s.exec, {s.points.position, v_.span(), 0});
  const double size = mass_spring::right_hand_side(
      s.exec, s.network, s.springs.plates().slot_forces(), s.points, s.field, h, b_.span());
  block_cg::Limits limits = params_.cg();
  limits.at_end = [&] { return mass_spring::multiply(s.exec, system(s, h), v_.span(), q_.span()); };
  const block_cg::Result first = solve(s, h, limits, v_.span());
  all.add(first, params_);
  if (params_.newton_iterations > 1) newton(s, h, size, all);
  if (s.reactions.wanted()) react(s, h);
  if (middle_)
    mass_spring::take_beyond(s.exec, s.points, v_.span(), Real(s.h));
  else
    mass_spring::take(s.exec, s.points, v_.span(), h);
}

void ImplicitSteps::respond(const SpringStep& s, const ImpulseResponse& r) {
  const Real h = Real(s.h);
  if (!r.again) resize(s), v_.zero(), linearise(s, h, 0);
  mass_spring::pack(s.exec, r.impulse, b_.span());
  v_.zero();
  solve(s, h, params_.cg(), v_.span());
  mass_spring::unpack(s.exec, v_.span(), r.change);
}

void ImplicitSteps::linearise(const SpringStep& s, Real h, Real ahead) {
  mass_spring::assemble(s.exec, {.net = s.network,
                                 .points = s.points,
                                 .at = {s.points.position, v_.span(), ahead},
                                 .drag = s.field.drag,
                                 .h = h,
                                 .bending = s.springs.bending(h),
                                 .blocks = blocks_.span(),
                                 .inertia = inertia_.span(),
                                 .inverse_diagonal = inverse_diagonal_.span(),
                                 .filter = filter_.span()});
  s.springs.invert_levels(s.exec, system(s, h), filter_.span());
}

mass_spring::System ImplicitSteps::system(const SpringStep& s, Real h) const {
  return {s.network.first, blocks_.span(), inertia_.span(), s.springs.bending(h)};
}

block_cg::Result ImplicitSteps::solve(const SpringStep& s, Real h, const block_cg::Limits& limits,
                                      Span<Row4> x) {
  const mass_spring::System A = system(s, h);
  const auto multiply = [&](Span<const Row4> p, Span<Row4> q) {
    return mass_spring::multiply(s.exec, A, p, q);
  };
  return block_cg::solve(s.exec, multiply, b_.span(),
                         {r_.span(), p_.span(), q_.span(), inverse_diagonal_.span(),
                          inertia_.span(), s.springs.levels(filter_.span())},
                         limits, x);
}

mass_spring::Gradient ImplicitSteps::gradient(const SpringStep& s, Real h, Span<const Row4> v) {
  PlateBuffers& plates = s.springs.plates();
  const plate::Energies bent = plates.forces(s.exec, {s.points.position, v, h});
  mass_spring::Gradient found = mass_spring::gradient(s.exec, s.network, plates.slot_forces(),
                                                      s.points, s.field, h, v, b_.span());
  found.energy += bent.bending;
  return found;
}

// What Newton's method has last found of the slope has that of held points.
void ImplicitSteps::react(const SpringStep& s, Real h) {
  const bool once = params_.newton_iterations == 1;
  if (once)
    mass_spring::push_on_held(s.exec, s.network, s.springs.plates().slot_forces(), system(s, h),
                              s.points, s.field, h, v_.span(), r_.span());
  s.reactions.add({s.points.mass, s.points.inverse_mass, s.points.velocity},
                  once ? r_.span() : b_.span(), middle_ ? 2 : 1);
}

void ImplicitSteps::newton(const SpringStep& s, Real h, double size, ImplicitSolve& all) {
  const auto newton_direction = [&](Span<Row4> change) {
    linearise(s, h, h);
    return solve(s, h, params_.cg(), change);
  };
  rtsim::newton(s.exec,
                {[&](Span<const Row4> v) { return gradient(s, h, v); }, newton_direction, size},
                params_, v_, change_, trial_, all);
}

}  // namespace rtsim
