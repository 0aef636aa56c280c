#pragma once
#include "deformables/impulse_response.h"
#include "deformables/reactions.h"
#include "mass_spring/implicit.h"
#include "mass_spring/mass_spring.h"
#include "solvers/mass_spring/mass_spring_network.h"

namespace rtsim {

// What a substep works on.
struct SpringStep {
  const Exec& exec;
  mass_spring::Network network;
  mass_spring::Points points;
  mass_spring::Field field;
  SpringBuffers& springs;
  Reactions& reactions;
  double h;    // [s]
  bool first;  // of the run
};

// Explicit integrators, with the room that their stages need.
class ExplicitSteps {
 public:
  ExplicitSteps(const Exec&, SpringIntegrator);

  void advance(const SpringStep&);

  // The largest stable substep for the fastest mode: undamped it is the integrator's limit of
  // omega h, and there is none for those that gain energy at any step.
  double stable_substep(const mass_spring::Rates&) const;
  // Whether undamped springs gain energy at any step.
  bool gains_energy() const;

 private:
  void runge_kutta(const SpringStep&, const mass_spring::Tableau&);
  // Held points feel it for a time `lasts`.
  Span<const Vec<3>> acceleration(const SpringStep&, Span<const Vec<3>> x, Span<const Vec<3>> v,
                                  double lasts);

  SpringIntegrator integrator_;
  Buffer<Vec<3>> a_, x_, v_, sum_x_, sum_v_;
  Buffer<Row4> packed_x_, packed_v_, on_held_;
};

// Implicit Euler and the implicit midpoint rule.
class ImplicitSteps {
 public:
  ImplicitSteps(const Exec&, const MassSpringParams&);

  void advance(const SpringStep&, ImplicitSolve&);
  // The changes of velocity that come of impulses. `again`: points are where they were at the last
  // call.
  void respond(const SpringStep&, const ImpulseResponse&);

 private:
  void resize(const SpringStep&);
  void linearise(const SpringStep&, Real h, Real ahead);
  mass_spring::System system(const SpringStep&, Real h) const;
  mass_spring::Gradient gradient(const SpringStep&, Real h, Span<const Row4> v);
  block_cg::Result solve(const SpringStep&, Real h, const block_cg::Limits&, Span<Row4> x);
  void newton(const SpringStep&, Real h, double size, ImplicitSolve&);
  void react(const SpringStep&, Real h);

  ImplicitParams params_;
  bool middle_;
  Buffer<mass_spring::BlockSlot> blocks_;
  Buffer<Real> inertia_;
  Buffer<Sym3Slot> inverse_diagonal_;
  Buffer<Row4> filter_, b_, r_, p_, q_, v_, change_, trial_;
};

}  // namespace rtsim
