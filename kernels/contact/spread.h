#pragma once
#include "base/vec.h"
#include "exec/span.h"

// Corrections of contacts, spread over their points. A contact moves all its points by the same
// part, one over the most contacts that one of them has, which keeps momentum.
namespace rtsim::contact {

// How far points of the inverse masses w let a place with their weights b give way to an impulse of
// one: the sum of w b^2 [1/kg]. Points go w b over that times as far as the place; of equal ones
// (sqrt(3) + 1) / 2 times at the most. Near one that is held, or far heavier than the others, those
// would be thrown by 1 / b: they go no further than equal ones, and the place gives way less.
template <int N>
RTSIM_HD inline Real mobility(const std::int32_t* p, const Real* b, Span<const Real> w) {
  Real sum = 0, most = 0;
  for (int k = 0; k < N; ++k) {
    const Real of_point = w[p[k]] * b[k], size = of_point < 0 ? -of_point : of_point;
    sum += of_point * b[k];
    most = size > most ? size : most;
  }
  const Real least = Real(0.7320508) * most;  // 2 / (sqrt(3) + 1)
  return sum > least ? sum : least;
}

// Slots are the number of a contact times its points, plus which of them; those of point i are
// order[first[i]] to order[first[i + 1] - 1].
struct Slots {
  Span<const Index> order, first;
};

// Of each slot: how the point is to move [m], and whether it is to.
struct CountPoint {
  Slots slots;
  Span<const Vec<4>> moves;
  Span<Real> count;
  RTSIM_HD void operator()(Index i) const {
    Real n = 0;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) n += moves[slots.order[s]][3];
    count[i] = n;
  }
};

// x += d, v += d / h. `Item` is a contact of N points p.
template <int N, class Item>
struct MovePoint {
  Slots slots;
  Span<const Item> items;
  Span<const Vec<4>> moves;
  Span<const Real> count;
  Real inv_h;
  Span<Vec<3>> x, v;

  RTSIM_HD void operator()(Index i) const {
    if (!(count[i] > 0)) return;
    Vec<3> d;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) {
      const Vec<4>& m = moves[slots.order[s]];
      if (!(m[3] > 0)) continue;
      const Item& item = items[slots.order[s] / N];
      Real most = count[i];
      for (int k = 0; k < N; ++k) {
        const Real n = count[item.p[k]];
        most = n > most ? n : most;
      }
      d = d + Real(1) / most * Vec<3>{{m[0], m[1], m[2]}};
    }
    x[i] = x[i] + d;
    v[i] = v[i] + inv_h * d;
  }
};

}  // namespace rtsim::contact
