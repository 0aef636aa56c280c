#pragma once
#include <functional>
#include <string>

#include "exec/buffer.h"
#include "mass_spring/implicit.h"
#include "param/describe.h"

// Newton's method with a line search, for the implicit steps of springs, cloth and fem: velocities
// v that minimise a potential phi, from its gradient g and its Hessian A (the linear system).
namespace rtsim {

struct ImplicitParams {
  int newton_iterations = 1;
  double newton_tolerance = 1e-3;
  int cg_iterations = 2000;
  double cg_tolerance = 1e-3;

  // `found` as of block_cg::Limits.
  block_cg::Limits cg(double found = 0) const { return {cg_tolerance, cg_iterations, found}; }
};

void describe(Describe&, ImplicitParams&);

// The iterations and residuals of the solves of a step, over its substeps.
struct ImplicitSolve {
  int iterations = 0;
  double residual = 0;  // the greatest, relative; of one linear system the bound of its error

  void add(const block_cg::Result&, const ImplicitParams&);
  // Empty where the residual is about what was asked for.
  std::string warning(const std::string& mesh, const ImplicitParams&) const;
};

struct NewtonProblem {
  std::function<mass_spring::Gradient(Span<const Row4> v)> gradient;
  // change = -A^-1 g, with the Hessian A at v.
  std::function<block_cg::Result(Span<Row4> change)> newton_direction;
  double size;  // the square that residuals are relative to
};

// From the v that is there; `change` and `trial` are scratch.
void newton(const Exec&, const NewtonProblem&, const ImplicitParams&, Buffer<Row4>& v,
            Buffer<Row4>& change, Buffer<Row4>& trial, ImplicitSolve&);

}  // namespace rtsim
