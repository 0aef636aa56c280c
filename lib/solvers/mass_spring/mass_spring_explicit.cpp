#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/mass_spring/mass_spring_steps.h"

namespace rtsim {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace

ExplicitSteps::ExplicitSteps(const Exec& ex, SpringIntegrator integrator)
    : integrator_(integrator),
      a_(ex),
      x_(ex),
      v_(ex),
      sum_x_(ex),
      sum_v_(ex),
      packed_x_(ex),
      packed_v_(ex),
      on_held_(ex) {}

void ExplicitSteps::advance(const SpringStep& s) {
  const auto& p = s.points;
  a_.resize(std::size_t(p.position.size));
  const Real h = Real(s.h);
  const double half = 0.5 * s.h;
  switch (integrator_) {
    case SpringIntegrator::explicit_euler:
      return runge_kutta(s, mass_spring::explicit_euler);
    case SpringIntegrator::midpoint:
      return runge_kutta(s, mass_spring::midpoint);
    case SpringIntegrator::heun:
      return runge_kutta(s, mass_spring::heun);
    case SpringIntegrator::rk4:
      return runge_kutta(s, mass_spring::rk4);
    case SpringIntegrator::velocity_verlet:
      v_.resize(a_.size());
      mass_spring::half_kick_and_drift(s.exec, p, acceleration(s, p.position, p.velocity, half), h,
                                       v_.span());
      return mass_spring::half_kick(s.exec, p, acceleration(s, p.position, v_.span(), half), h);
    case SpringIntegrator::verlet:
      if (s.first)
        mass_spring::verlet_start(s.exec, p, acceleration(s, p.position, p.velocity, 0), h);
      [[fallthrough]];
    default:
      mass_spring::symplectic_euler(s.exec, p, acceleration(s, p.position, p.velocity, s.h), h);
  }
}

void ExplicitSteps::runge_kutta(const SpringStep& s, const mass_spring::Tableau& t) {
  for (Buffer<Vec<3>>* b : {&x_, &v_, &sum_x_, &sum_v_}) b->resize(a_.size());
  const mass_spring::Stages stages{x_.span(), v_.span(), sum_x_.span(), sum_v_.span()};
  mass_spring::first_stage(s.exec, s.points, stages);
  for (int k = 0; k < t.stages; ++k) {
    const double next = k + 1 < t.stages ? t.c[k + 1] : 0;
    mass_spring::next_stage(s.exec, s.points, acceleration(s, x_.span(), v_.span(), s.h * t.b[k]),
                            Real(s.h * t.b[k]), Real(s.h * next), stages);
  }
  mass_spring::add_stages(s.exec, s.points, stages);
}

Span<const Vec<3>> ExplicitSteps::acceleration(const SpringStep& s, Span<const Vec<3>> x,
                                               Span<const Vec<3>> v, double lasts) {
  packed_x_.resize(s.springs.rows()), packed_v_.resize(s.springs.rows());
  mass_spring::pack(s.exec, x, packed_x_.span());
  mass_spring::pack(s.exec, v, packed_v_.span());
  const mass_spring::Acceleration at{s.network,        s.field,          s.points.inverse_mass,
                                     packed_x_.span(), packed_v_.span(), a_.span()};
  mass_spring::accelerate(s.exec, at);
  PlateBuffers& plates = s.springs.plates();
  if (plates.any()) {
    plates.forces(s.exec, {x, packed_v_.span(), 0});
    mass_spring::accelerate(s.exec, plates.slot_forces(), s.points.inverse_mass, a_.span());
  }
  if (s.reactions.wanted() && lasts > 0) {
    on_held_.resize(a_.size());
    mass_spring::force_on_held(s.exec, at, s.points.mass, plates.slot_forces(), on_held_.span());
    s.reactions.add({s.points.mass, s.points.inverse_mass}, on_held_.span(), lasts);
  }
  return a_.span();
}

bool ExplicitSteps::gains_energy() const {
  return integrator_ == SpringIntegrator::explicit_euler ||
         integrator_ == SpringIntegrator::midpoint || integrator_ == SpringIntegrator::heun;
}

// For x'' = -w^2 x - g x', with the growth factors of undamped steps, and for overdamped springs
// the limit on the real axis.
double ExplicitSteps::stable_substep(const mass_spring::Rates& r) const {
  const double w2 = r.omega2, g = r.damping, w = std::sqrt(w2);
  if (!(w > 0)) return g > 0 ? 2 / g : unlimited;
  switch (integrator_) {
    case SpringIntegrator::explicit_euler:  // 1 + (w h)^2 against damping
      return g > 0 ? std::min(g / w2, 2 / g) : unlimited;
    case SpringIntegrator::midpoint:  // 1 + (w h)^4 / 4 against damping
    case SpringIntegrator::heun:
      return g > 0 ? std::min(std::cbrt(4 * g / (w2 * w2)), 2 / g) : unlimited;
    case SpringIntegrator::rk4:
      return std::min(2 * std::sqrt(2) / w, g > 0 ? 2.785 / g : unlimited);
    default:  // h^2 w^2 + 2 h g < 4
      return (std::sqrt(g * g + 4 * w2) - g) / w2;
  }
}

}  // namespace rtsim
