#pragma once
#include "contact/self_contact.h"

// AABBs of the features of meshes, and walks through the trees of them.
namespace rtsim::contact {

RTSIM_HD inline void include(BoxNode& b, const Vec<3>& x) {
  for (int a = 0; a < 3; ++a) {
    if (x[a] < b.low[a]) b.low[a] = x[a];
    if (x[a] > b.high[a]) b.high[a] = x[a];
  }
}
RTSIM_HD inline BoxNode nothing() {
  constexpr Real far = Real(1e30);
  return {{{far, far, far}}, {{-far, -far, -far}}, 0, 0};
}
RTSIM_HD inline void widen_by(BoxNode& b, Real margin) {
  for (int a = 0; a < 3; ++a) b.low[a] -= margin, b.high[a] += margin;
}
RTSIM_HD inline bool overlap(const BoxNode& a, const BoxNode& b) {
  for (int k = 0; k < 3; ++k)
    if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
  return true;
}

template <int N>
RTSIM_HD BoxNode box_of(const VecT<std::int32_t, N>& corners, const Ways& ways, Real margin) {
  BoxNode b = nothing();
  for (int k = 0; k < N; ++k) include(b, ways.from[corners[k]]), include(b, ways.to[corners[k]]);
  widen_by(b, margin);
  return b;
}

// visit(item) for the items of leaves whose boxes meet one.
template <int N, class Visit>
RTSIM_HD void for_items(const ItemTree<N>& tree, const BoxNode& box, const Visit& visit) {
  Index stack[tree_depth];
  int waiting = 1;
  stack[0] = 0;
  while (waiting > 0) {
    const Index at = stack[--waiting];
    const BoxNode& n = tree.nodes[at];
    if (!overlap(n, box)) continue;
    if (n.count > 0) {
      for (Index k = n.first; k < n.first + n.count; ++k) visit(k);
    } else {
      stack[waiting++] = n.first;
      stack[waiting++] = at + 1;
    }
  }
}

template <int N>
RTSIM_HD bool has(const VecT<std::int32_t, N>& corners, std::int32_t p) {
  for (int k = 0; k < N; ++k)
    if (corners[k] == p) return true;
  return false;
}

}  // namespace rtsim::contact
