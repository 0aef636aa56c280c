#pragma once
#include "base/vec.h"
#include "exec/span.h"

// Corrections of contacts, spread over their points. A contact moves all its points by the same
// part, one over the most contacts that one of them has, which keeps momentum.
namespace rtsim::contact {

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
