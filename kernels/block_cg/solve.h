#pragma once
#include <cmath>

#include "block_cg/block_cg.h"
#include "exec/parallel.h"

// Preconditioned conjugate gradients for A x = b with a 3 x 3 block for each pair of points, A
// symmetric and positive (Hestenes & Stiefel 1952). `Operator` says (A p)_i as (i, p), and zero for
// rows that are not free: with b - A x zero there, these keep the x that they came with
// (Baraff & Witkin 1998, section 5.3).
namespace rtsim::block_cg {

namespace detail {

// r = b - A x, p = z = P r; sums r.z and b.P b over the free rows.
struct Dots {
  double rz = 0, bb = 0;
};
struct AddDots {
  RTSIM_HD Dots operator()(const Dots& a, const Dots& b) const {
    return {a.rz + b.rz, a.bb + b.bb};
  }
};
template <class Operator>
struct Begin {
  Operator A;
  Vectors s;
  Span<const Vec<3>> b, x;
  RTSIM_HD Dots operator()(Index i) const {
    const bool free = A.free(i);
    const Vec<3> b_i = free ? b[i] : Vec<3>{};
    const Vec<3> r = free ? b_i - A(i, x) : Vec<3>{};
    const Vec<3> z = s.inverse_diagonal[i] * r;
    s.r[i] = r, s.p[i] = z;
    return {double(dot(r, z)), double(dot(b_i, s.inverse_diagonal[i] * b_i))};
  }
};

// q = A p; sums p.q.
template <class Operator>
struct Curvature {
  Operator A;
  Vectors s;
  RTSIM_HD double operator()(Index i) const {
    const Vec<3> q = A.free(i) ? A(i, s.p) : Vec<3>{};
    s.q[i] = q;
    return double(dot(s.p[i], q));
  }
};

// x += alpha p, r -= alpha q; sums r.P r.
struct Advance {
  Vectors s;
  Real alpha;
  Span<Vec<3>> x;
  RTSIM_HD double operator()(Index i) const {
    x[i] = x[i] + alpha * s.p[i];
    const Vec<3> r = s.r[i] - alpha * s.q[i];
    s.r[i] = r;
    return double(dot(r, s.inverse_diagonal[i] * r));
  }
};

// p = P r + beta p
struct Turn {
  Vectors s;
  Real beta;
  RTSIM_HD void operator()(Index i) const {
    s.p[i] = s.inverse_diagonal[i] * s.r[i] + beta * s.p[i];
  }
};

}  // namespace detail

// Starts from the x that is there.
template <class Operator>
Result solve(const Exec& ex, const Operator& A, Span<const Vec<3>> b, const Vectors& s,
             const Limits& limits, Span<Vec<3>> x) {
  const Index n = x.size;
  const detail::Dots start = reduce(ex, "block_cg.begin", n, detail::Dots{},
                                    detail::Begin<Operator>{A, s, b, x}, detail::AddDots{});
  // Rows that are not free may be all that there is to answer: then b is zero, and b - A x is not.
  const double size = start.bb < start.rz ? start.rz : start.bb;
  if (size == 0) return {0, 0};
  const double enough = limits.tolerance * limits.tolerance * size;
  double rz = start.rz;
  int done = 0;
  while (rz > enough && done < limits.iterations) {
    const double pq =
        reduce(ex, "block_cg.apply", n, 0.0, detail::Curvature<Operator>{A, s}, Plus{});
    if (!(pq > 0)) break;  // rounding has eaten the direction
    const double next =
        reduce(ex, "block_cg.advance", n, 0.0, detail::Advance{s, Real(rz / pq), x}, Plus{});
    parallel_for(ex, "block_cg.turn", n, detail::Turn{s, Real(next / rz)});
    rz = next;
    ++done;
  }
  return {done, std::sqrt(rz / size)};
}

}  // namespace rtsim::block_cg
