#include "solvers/cloth_implicit_steps.h"

#include <algorithm>
#include <cmath>

#include "mass_spring/implicit.h"
#include "mass_spring/mass_spring.h"

namespace rtsim {

namespace {
constexpr int most_revisions = 4;
}

ClothSteps::ClothSteps(World& world, const ClothImplicitParams& p)
    : p_(p),
      mesh_(p, world),
      matrix_(world, p.mesh.name),
      triangle_start_(world.exec, std::size_t(mesh_.view().triangles.size)),
      hinge_start_(world.exec, std::size_t(mesh_.view().hinges.size)),
      triangle_forces_(world.exec, triangle_start_.size()),
      triangle_blocks_(world.exec, triangle_start_.size()),
      hinge_state_(world.exec, hinge_start_.size()),
      inverse_diagonal_(world.exec, matrix_.rows() / std::size_t(lane_count)),
      b_(world.exec, matrix_.rows()),
      r_(world.exec, matrix_.rows()),
      p_cg_(world.exec, matrix_.rows()),
      q_(world.exec, matrix_.rows()),
      v_(world.exec, matrix_.rows()),
      change_(world.exec, matrix_.rows()),
      trial_(world.exec) {}

cloth::Elements ClothSteps::elements() {
  return {triangle_start_.span(), hinge_start_.span(), triangle_forces_.span(),
          triangle_blocks_.span(), hinge_state_.span()};
}

// Linearised at the start of the step for the change of velocity (Baraff & Witkin 1998, eq. 6);
// from there Newton's steps go on.
void ClothSteps::advance(const ClothStep& s, ClothSolve& all) {
  material_ = mesh_.material(s.h);
  mass_spring::pack(s.exec, s.points.velocity, v_.span());
  const cloth::Ahead start{s.points.position, v_.span(), 0};
  cloth::start(s.exec, mesh_.view(), material_, s.points.position, elements());
  cloth::forces(s.exec, mesh_.view(), material_, start, elements());
  linearise(s, start);
  cloth::right_side(s.exec, mesh_.view(), elements(), matrix_.view(), s.points, s.field, Real(s.h),
                    v_.span(), b_.span());
  cloth::follow(s.exec, s.holds, s.points.velocity, change_.span());
  const block_cg::Result first = solve_touching(s);
  mass_spring::move_along(s.exec, v_.span(), change_.span(), 1, v_.span());
  all.newton += 1, all.iterations += first.iterations;
  if (p_.newton_iterations == 1)
    all.residual = std::max(all.residual, first.residual);
  else
    newton(s, all);
  if (p_.stretch_change)
    all.change = std::max(
        all.change, cloth::greatest_change(s.exec, mesh_.view(), material_,
                                           {s.points.position, v_.span(), Real(s.h)}, elements()));
  mass_spring::take(s.exec, s.points, v_.span(), Real(s.h));
}

void ClothSteps::linearise(const ClothStep& s, const cloth::Ahead& at) {
  cloth::tangents(s.exec, mesh_.view(), material_, at, Real(s.h), elements());
  cloth::assemble(s.exec, {s.points, elements(), matrix_.parts(), s.field.drag, Real(s.h),
                           matrix_.view().first, matrix_.blocks(), matrix_.inertia()});
  cloth::precondition(s.exec, matrix_.view(), s.points, s.holds, inverse_diagonal_.span());
}

block_cg::Result ClothSteps::solve(const ClothStep& s) {
  const auto multiply = [&](Span<const Row4> p, Span<Row4> q) {
    return block_cg::multiply(s.exec, matrix_.view(), p, q);
  };
  return block_cg::solve(s.exec, multiply, b_.span(),
                         {r_.span(), p_cg_.span(), q_.span(), inverse_diagonal_.span()},
                         {p_.cg_tolerance, p_.cg_iterations}, change_.span());
}

// Again, from where it is, until every point sticks, slides or leaves as its impulse allows.
block_cg::Result ClothSteps::solve_touching(const ClothStep& s) {
  block_cg::Result all = solve(s);
  for (int k = 0; k < most_revisions && s.holds.size > 0; ++k) {
    if (cloth::revise(s.exec, {Real(s.friction), s.points.velocity, r_.span(), s.holds, b_.span(),
                               change_.span()}) == 0)
      break;
    cloth::precondition(s.exec, matrix_.view(), s.points, s.holds, inverse_diagonal_.span());
    const block_cg::Result next = solve(s);
    all = {all.iterations + next.iterations, next.residual};
  }
  return all;
}

cloth::Slope ClothSteps::descend(const ClothStep& s, Span<const Row4> v) {
  const cloth::Energies e =
      cloth::forces(s.exec, mesh_.view(), material_, {s.points.position, v, Real(s.h)}, elements());
  cloth::Slope slope = cloth::descend(s.exec, mesh_.view(), elements(), s.points, s.field,
                                      Real(s.h), s.holds, v, b_.span());
  slope.energy += e.stretch + e.shear + e.bending + e.damping;
  return slope;
}

void ClothSteps::newton(const ClothStep& s, ClothSolve& all) {
  trial_.resize(v_.size());
  mass_spring::pack(s.exec, s.points.velocity, trial_.span());
  const double size = descend(s, trial_.span()).residual;
  cloth::Slope now = descend(s, v_.span());
  const double enough = p_.newton_tolerance * p_.newton_tolerance * size;
  for (int k = 1; k < p_.newton_iterations && now.residual > enough; ++k) {
    linearise(s, {s.points.position, v_.span(), Real(s.h)});
    change_.zero();
    all.iterations += solve(s).iterations;
    all.newton += 1;
    if (!search(s, now)) break;
  }
  all.residual = std::max(all.residual, size > 0 ? std::sqrt(now.residual / size) : 0);
}

// Halves the step until phi falls or, where rounding hides that, the residual does.
bool ClothSteps::search(const ClothStep& s, cloth::Slope& now) {
  const cloth::Slope before = now;
  for (Real part = 1; part > Real(1e-3); part *= Real(0.5)) {
    mass_spring::move_along(s.exec, v_.span(), change_.span(), part, trial_.span());
    now = descend(s, trial_.span());
    if (now.energy < before.energy || now.residual < before.residual) {
      v_.swap(trial_);
      return true;
    }
  }
  now = before;
  return false;
}

}  // namespace rtsim
