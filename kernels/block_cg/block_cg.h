#pragma once
#include <cmath>

#include "block_cg/levels.h"

// Preconditioned conjugate gradients for A x = b, with a 3 x 3 block for each pair of points, A
// symmetric and positive (Hestenes & Stiefel 1952), where some rows are not free to change, or not
// along some directions (Baraff & Witkin 1998, section 5.3): these keep the x that they came with,
// the paper's z. Its filter S takes those directions out of the residual, of every product and of
// what the preconditioner gives. As residuals and products then only meet vectors that are
// filtered, in inner products, it is enough that the preconditioner filters on both sides, P = S P
// S. It does so anew each time: blocks that are filtered only once, when they are inverted, keep a
// rounded rest along those directions, whose residuals stay large while the others shrink, until
// the solve gives way there. What it leaves in r along those directions is A x - b with the sign
// turned: the impulse that keeps them is -r.
namespace rtsim::block_cg {

// Scratch of a solve, a row for each point, and zeros up to a multiple of eight.
struct Vectors {
  Span<Row4> r, p, q;
  Span<const Sym3Slot> inverse_diagonal;  // S D^-1 S, eight rows a slot
  Levels levels;                          // the rest of the preconditioner, and S
};

struct Limits {
  double tolerance;  // of |r| / |b|, with |r|^2 = r . S D^-1 S r
  int iterations;
};

struct Result {
  int iterations;
  double residual;  // |r| / |b| at the end
};

struct Squares {
  double rz = 0, rr = 0;  // r . P r, |r|^2
};
// r = b - q; returns |b|^2.
double begin(const Exec&, const Vectors&, Span<const Row4> b);
// x += alpha p, r -= alpha q
void advance(const Exec&, const Vectors&, Real alpha, Span<Row4> x);
// q = P r
Squares precondition(const Exec&, const Vectors&);
// p = S u with the unit vector u along sum S r; returns p . r, the length of that sum, or 0 where
// something is held.
double lean(const Exec&, const Vectors&);
// p = q + beta p
void turn(const Exec&, const Vectors&, Real beta);

// One step along what all rows share, where nothing else holds them: their sum of residuals, which
// is momentum that the solve would lose or make, is zero afterwards. What is held gives momentum
// away, and small steps decide there which points stick.
template <class Multiply>
void share_rest(const Exec& ex, const Multiply& multiply, const Vectors& s, Span<Row4> x) {
  const double pr = lean(ex, s);
  if (!(pr > 0)) return;
  const double pq = multiply(s.p, s.q);
  if (pq > 0) advance(ex, s, Real(pr / pq), x);
}

// multiply(p, q): q = A p, and returns p . q. Starts from the x that is there.
template <class Multiply>
Result solve(const Exec& ex, const Multiply& multiply, Span<const Row4> b, const Vectors& s,
             const Limits& limits, Span<Row4> x) {
  multiply(x, s.q);
  const double bb = begin(ex, s, b);
  Squares now = precondition(ex, s);
  // Rows that are not free may be all that there is to answer: then b is zero, and b - A x is not.
  const double size = bb < now.rr ? now.rr : bb;
  if (size == 0) return {0, 0};
  turn(ex, s, 0);
  const double enough = limits.tolerance * limits.tolerance * size;
  int done = 0;
  while (now.rr > enough && done < limits.iterations) {
    const double pq = multiply(s.p, s.q);
    if (!(pq > 0)) break;  // rounding has eaten the direction
    advance(ex, s, Real(now.rz / pq), x);
    const Squares next = precondition(ex, s);
    turn(ex, s, Real(next.rz / now.rz));
    now = next;
    ++done;
  }
  share_rest(ex, multiply, s, x);
  return {done, std::sqrt(now.rr / size)};
}

}  // namespace rtsim::block_cg
