#include "solvers/cloth_implicit/cloth_implicit_steps.h"

#include <algorithm>
#include <cmath>

#include "mass_spring/implicit.h"
#include "mass_spring/mass_spring.h"

namespace rtsim {

namespace {
constexpr int most_active_sets = 4;
}

ClothSteps::ClothSteps(World& world, const ClothImplicitParams& p)
    : ClothSteps(world, p, plates_of(p, world)) {}

ClothSteps::ClothSteps(World& world, const ClothImplicitParams& p,
                       const std::optional<PlatePatches>& plates)
    : p_(p),
      mesh_(p, world),
      plates_(plates ? PlateBuffers(world.exec, *plates, p.bending_stiffness, p.bending_damping)
                     : PlateBuffers(world.exec)),
      matrix_(world, p.mesh.name, plates ? &*plates : nullptr),
      start_(world.exec, std::size_t(mesh_.view().triangles.size)),
      forces_(world.exec, start_.size()),
      blocks_(world.exec, start_.size()),
      inverse_diagonal_(world.exec, matrix_.rows() / std::size_t(lane_count)),
      impulse_(world.exec),
      filter_(world.exec, matrix_.rows()),
      b_(world.exec, matrix_.rows()),
      r_(world.exec, matrix_.rows()),
      p_cg_(world.exec, matrix_.rows()),
      q_(world.exec, matrix_.rows()),
      v_(world.exec, matrix_.rows()),
      change_(world.exec, matrix_.rows()),
      trial_(world.exec, matrix_.rows()) {}

cloth::Elements ClothSteps::elements() {
  return {start_.span(), forces_.span(), blocks_.span(), plates_.slot_forces()};
}

double ClothSteps::forces(const ClothStep& s, const cloth::Ahead& at) {
  const cloth::Energies e = cloth::forces(s.exec, mesh_.view(), fabric_, at, elements());
  const plate::Energies b = plates_.forces(s.exec, at);
  return e.stretch + e.shear + e.damping + b.bending + b.damping;
}

// Linearised at the start of the step for the change of velocity (Baraff & Witkin 1998, eq. 6);
// from there Newton's steps go on.
void ClothSteps::advance(const ClothStep& s, ClothSolve& all) {
  mass_spring::pack(s.exec, s.points.velocity, v_.span());
  linearise_at_start(s);
  cloth::right_hand_side(s.exec, mesh_.view(), elements(), matrix(), s.points, s.field, Real(s.h),
                         v_.span(), b_.span());
  cloth::constrained_change(s.exec, s.constraints, s.points.velocity, change_.span());
  const block_cg::Result first = solve_contacts(s);
  mass_spring::move_along(s.exec, v_.span(), change_.span(), 1, v_.span());
  all.add(first, p_.solve);
  if (p_.solve.newton_iterations > 1) newton(s, all);
  if (p_.stretch_change)
    all.change = std::max(
        all.change, cloth::greatest_change(s.exec, mesh_.view(), fabric_,
                                           {s.points.position, v_.span(), Real(s.h)}, elements()));
  mass_spring::take(s.exec, s.points, v_.span(), Real(s.h));
}

void ClothSteps::linearise_at_start(const ClothStep& s) {
  fabric_ = mesh_.fabric(s.h), bending_ = plates_.scale(s.h);
  const cloth::Ahead start{s.points.position, v_.span(), 0};
  cloth::start(s.exec, mesh_.view(), fabric_, s.points.position, elements());
  plates_.start(s.exec, s.points.position, s.h);
  forces(s, start);
  linearise(s, start);
}

void ClothSteps::respond(const ClothStep& s, const ImpulseResponse& r) {
  v_.zero();
  if (!r.again) linearise_at_start(s);
  mass_spring::pack(s.exec, r.impulse, b_.span());
  change_.zero();
  solve(s, 0);
  mass_spring::unpack(s.exec, change_.span(), r.change);
}

void ClothSteps::linearise(const ClothStep& s, const cloth::Ahead& at) {
  cloth::hessian_blocks(s.exec, mesh_.view(), fabric_, at, Real(s.h), elements());
  cloth::assemble(s.exec, {s.points, elements(), matrix_.parts(bending_), s.field.drag, Real(s.h),
                           matrix().first, matrix_.blocks(), matrix_.inertia()});
  precondition(s);
}

void ClothSteps::precondition(const ClothStep& s) {
  cloth::precondition(s.exec, matrix(), s.points, s.constraints, inverse_diagonal_.span(),
                      filter_.span());
  matrix_.invert_levels(s.exec, bending_, filter_.span());
}

block_cg::Result ClothSteps::solve(const ClothStep& s, double found) {
  const auto multiply = [&](Span<const Row4> p, Span<Row4> q) {
    return block_cg::multiply(s.exec, matrix(), p, q);
  };
  const block_cg::Vectors scratch{r_.span(),         p_cg_.span(),
                                  q_.span(),         inverse_diagonal_.span(),
                                  matrix_.inertia(), matrix_.levels(filter_.span())};
  block_cg::Limits limits = p_.solve.cg(found);
  limits.at_end = [&] {
    mass_spring::move_along(s.exec, v_.span(), change_.span(), 1, trial_.span());
    return multiply(trial_.span(), q_.span());
  };
  if (!s.bodies.any())
    return block_cg::solve(s.exec, multiply, b_.span(), scratch, limits, change_.span());
  s.bodies.hold(s.constraints, matrix());
  const block_cg::Result result =
      block_cg::solve(s.exec, multiply, b_.span(), scratch, limits, change_.span(), s.bodies);
  s.bodies.move_surfaces(s.constraints);
  return result;
}

block_cg::Result ClothSteps::solve_with_contacts(const ClothStep& s, double found) {
  const block_cg::Result result = solve(s, found);
  impulse_.resize(std::size_t(s.constraints.size));
  if (s.constraints.size > 0) cloth::reactions(s.exec, s.constraints, r_.span(), impulse_.span());
  return result;
}

// Solves again from the last result, until every contact sticks, slides or opens as its impulse
// allows: the active set is found.
block_cg::Result ClothSteps::solve_contacts(const ClothStep& s) {
  block_cg::Result all = solve_with_contacts(s, 0);
  for (int k = 0; k < most_active_sets && s.constraints.size > 0; ++k) {
    if (cloth::update_active_set(s.exec, {Real(s.friction), s.points.velocity, r_.span(),
                                          s.constraints, b_.span(), change_.span()}) == 0)
      break;
    precondition(s);
    const block_cg::Result next = solve_with_contacts(s, all.found);
    all = {all.iterations + next.iterations, next.error, next.found};
  }
  return all;
}

cloth::Gradient ClothSteps::gradient(const ClothStep& s, Span<const Row4> v) {
  const double energy = forces(s, {s.points.position, v, Real(s.h)});
  cloth::Gradient found = cloth::gradient(s.exec, mesh_.view(), elements(), s.points, s.field,
                                          Real(s.h), s.constraints, v, b_.span());
  found.energy += energy;
  return found;
}

void ClothSteps::newton(const ClothStep& s, ClothSolve& all) {
  mass_spring::pack(s.exec, s.points.velocity, trial_.span());
  const double size = gradient(s, trial_.span()).residual;
  const auto newton_direction = [&](Span<Row4>) {
    linearise(s, {s.points.position, v_.span(), Real(s.h)});
    return solve(s, 0);
  };
  rtsim::newton(s.exec,
                {[&](Span<const Row4> v) { return gradient(s, v); }, newton_direction, size},
                p_.solve, v_, change_, trial_, all);
}

}  // namespace rtsim
