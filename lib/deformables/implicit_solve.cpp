#include "deformables/implicit_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

// Backtracking: halves the step until phi falls or, where rounding hides that, the residual does.
bool line_search(const Exec& ex, const NewtonProblem& p, Buffer<Row4>& v,
                 const Buffer<Row4>& change, Buffer<Row4>& trial, mass_spring::Gradient& now) {
  const mass_spring::Gradient before = now;
  for (Real part = 1; part > Real(1e-3); part *= Real(0.5)) {
    mass_spring::move_along(ex, v.span(), change.span(), part, trial.span());
    now = p.gradient(trial.span());
    if (now.energy < before.energy || now.residual < before.residual) {
      v.swap(trial);
      return true;
    }
  }
  now = before;
  return false;
}

}  // namespace

void describe(Describe& d, ImplicitParams& p) {
  d("newton_iterations", p.newton_iterations, "", between(1, 1000),
    "Of implicit steps: the most linear systems a substep. 1: linearised once.");
  d("newton_tolerance", p.newton_tolerance, "", above(0),
    "With more than one: the part of the residual that may be left over. The whole is that of the "
    "velocities at the start of a substep, for mass_spring of none: |m (v + h g) + h f|.");
  d("cg_iterations", p.cg_iterations, "", between(1, 100000),
    "Of implicit steps: the most conjugate gradient steps for a linear system.");
  d("cg_tolerance", p.cg_tolerance, "", above(0),
    "The error at which those stop, over the velocity that they end with or its change, the "
    "smaller, in the norm of the energy: kinetic, and elastic of the way in a substep. It is a "
    "bound of the "
    "error and not a residual, so that soft modes beside stiff ones are as near.");
}

void ImplicitSolve::add(const block_cg::Result& r, const ImplicitParams& p) {
  iterations += r.iterations;
  if (p.newton_iterations == 1) residual = std::max(residual, r.error);
}

std::string ImplicitSolve::warning(const std::string& mesh, const ImplicitParams& p) const {
  const bool often = p.newton_iterations > 1;
  const double allowed = often ? p.newton_tolerance : p.cg_tolerance;
  if (!(residual > 10 * allowed)) return {};
  return fmt::format(
      "the solve for '{}' stopped at {} of {:.2g}, not {:.2g}: try more \"substeps\"{}", mesh,
      often ? "a residual" : "an error", residual, allowed,
      often ? ", \"newton_iterations\"" : " or \"cg_iterations\"");
}

void newton(const Exec& ex, const NewtonProblem& problem, const ImplicitParams& p, Buffer<Row4>& v,
            Buffer<Row4>& change, Buffer<Row4>& trial, ImplicitSolve& all) {
  change.resize(v.size()), trial.resize(v.size());
  mass_spring::Gradient now = problem.gradient(v.span());
  const double enough = p.newton_tolerance * p.newton_tolerance * problem.size;
  for (int k = 1; k < p.newton_iterations && now.residual > enough; ++k) {
    change.zero();
    all.add(problem.newton_direction(change.span()), p);
    if (!line_search(ex, problem, v, change, trial, now)) break;
  }
  if (problem.size > 0)
    all.residual = std::max(all.residual, std::sqrt(now.residual / problem.size));
}

}  // namespace rtsim
