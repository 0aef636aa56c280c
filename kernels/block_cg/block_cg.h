#pragma once
#include <cmath>

#include "block_cg/sym3.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Preconditioned conjugate gradients for A x = b, with a 3 x 3 block for each pair of points, A
// symmetric and positive (Hestenes & Stiefel 1952), where some rows are not free to change, or not
// along some directions (Baraff & Witkin 1998, section 5.3): these keep the x that they came with,
// the paper's z. Its filter S takes those directions out of the residual, of every product and of
// what the preconditioner gives. As residuals and products then only meet vectors that are
// filtered, in inner products, it is enough that the preconditioner filters on both sides, P = S P
// S: zero for rows that are held, `inverse_across` for rows that are not free along a normal. What
// it leaves in r along those directions is A x - b with the sign turned: the impulse that keeps
// them is -r.
namespace rtsim::block_cg {

// Scratch of a solve, a row for each point, and zeros up to a multiple of eight.
struct Vectors {
  Span<Row4> r, p, q;
  Span<const Sym3Slot> inverse_diagonal;  // the preconditioner P = S P S, eight rows a slot
};

struct Limits {
  double tolerance;  // of |r| / |b|, in the norm of the preconditioner
  int iterations;
};

struct Result {
  int iterations;
  double residual;  // |r| / |b| at the end
};

// r = b - q, p = P r; q holds A x.
struct Start {
  double rz = 0, bb = 0;  // r . P r, b . P b
};
Start begin(const Exec&, const Vectors&, Span<const Row4> b);
// x += alpha p, r -= alpha q, q = P r; returns r . P r.
double advance(const Exec&, const Vectors&, Real alpha, Span<Row4> x);
// p = q + beta p
void turn(const Exec&, const Vectors&, Real beta);

// multiply(p, q): q = A p, and returns p . q. Starts from the x that is there.
template <class Multiply>
Result solve(const Exec& ex, const Multiply& multiply, Span<const Row4> b, const Vectors& s,
             const Limits& limits, Span<Row4> x) {
  multiply(x, s.q);
  const Start start = begin(ex, s, b);
  // Rows that are not free may be all that there is to answer: then b is zero, and b - A x is not.
  const double size = start.bb < start.rz ? start.rz : start.bb;
  if (size == 0) return {0, 0};
  const double enough = limits.tolerance * limits.tolerance * size;
  double rz = start.rz;
  int done = 0;
  while (rz > enough && done < limits.iterations) {
    const double pq = multiply(s.p, s.q);
    if (!(pq > 0)) break;  // rounding has eaten the direction
    const double next = advance(ex, s, Real(rz / pq), x);
    turn(ex, s, Real(next / rz));
    rz = next;
    ++done;
  }
  return {done, std::sqrt(rz / size)};
}

}  // namespace rtsim::block_cg
