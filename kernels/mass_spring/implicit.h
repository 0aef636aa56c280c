#pragma once
#include "block_cg/block_cg.h"
#include "mass_spring/network.h"

// Implicit Euler over h: find v with
//   g(v) = m (v - v0) + h m (drag v - gravity) - h f(x0 + h v, v) = 0,
// the gradient of
//   phi(v) = m |v - v0|^2 / 2 + h m (drag |v|^2 / 2 - gravity . v) + E(x0 + h v)
//            + h c (n0 . (v_i - v_j))^2 / 2
// (damping acts along n0, where springs point at the start, so that there is a phi). Its second
// derivative, with tangents made positive, is the system
//   A = m (1 + h drag) + h^2 K + h D,  a block for each spring.
namespace rtsim::mass_spring {

// -A_ij = a n n^T + b I of one half of a spring, and its other end's row.
struct Block {
  Vec<3> n;
  Real a, b;  // [kg]
};

struct System {
  Span<const Index> first;
  Span<const Half> halves;
  Span<const Block> blocks;
  Span<const Real> mass, inverse_mass;
  Real inertia;  // 1 + h drag

  RTSIM_HD bool free(Index i) const { return inverse_mass[i] > 0; }
  RTSIM_HD Vec<3> operator()(Index i, Span<const Vec<3>> p) const {
    const Vec<3> p_i = p[i];
    Vec<3> sum = (inertia * mass[i]) * p_i;
    for (Index e = first[i]; e < first[i + 1]; ++e) {
      const Block k = blocks[e];
      const Vec<3> d = p_i - p[halves[e].other];
      sum = sum + ((k.a * dot(k.n, d)) * k.n + k.b * d);
    }
    return sum;
  }
};

// Where points are after a time `ahead` with velocities v. Differences of places are taken before
// the way is added: places themselves round to 1e-7 m at 1 m, which stiff springs feel.
struct Ahead {
  Span<const Vec<3>> position, v;
  Real time;  // [s]

  RTSIM_HD Vec<3> between(Index i, Index j) const {
    return (position[j] - position[i]) + time * (v[j] - v[i]);
  }
};

// Blocks with the springs there, and the inverses of the diagonal ones.
void assemble(const Exec&, const Network&, const Points&, Real drag, Real h, const Ahead&,
              Span<Block>, Span<Sym3> inverse_diagonal);

// The linear system for v, from the start of the step: b = m (v0 + h gravity) + h f(x0, 0).
// Returns sum |b|^2 / m of the free points [J].
double right_side(const Exec&, const Network&, const Points&, const Field&, Real h, Span<Vec<3>> b);

block_cg::Result solve(const Exec&, const System&, Span<const Vec<3>> b, const block_cg::Vectors&,
                       const block_cg::Limits&, Span<Vec<3>> x);

struct Slope {
  double energy = 0;    // phi [J]
  double residual = 0;  // sum |g|^2 / m of the free points [J]
};
// b = -g(v)
Slope descend(const Exec&, const Network&, const Points&, const Field&, Real h,
              Span<const Vec<3>> v, Span<Vec<3>> b);

// to = from + step * direction
void move_along(const Exec&, Span<const Vec<3>> from, Span<const Vec<3>> direction, Real step,
                Span<Vec<3>> to);

// The step itself: x += h v, and v of its end or, from the middle, beyond it.
void take(const Exec&, const Points&, Span<const Vec<3>> v, Real h);
void take_beyond(const Exec&, const Points&, Span<const Vec<3>> middle, Real h);

}  // namespace rtsim::mass_spring
