#pragma once
#include "fem/element.h"
#include "fem/fem.h"

// One element as single kernels read it.
namespace rtsim::fem {

RTSIM_HD inline ElementRest<Real> rest_of(const ElementSlot& s, Index l) {
  ElementRest<Real> rest;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) rest.g[k][a] = s.g[3 * k + a][l];
  rest.volume = s.volume[l];
  return rest;
}

// From corner 0 to the others.
RTSIM_HD inline Vec<3> between(const Places& p, Index i, Index j) {
  const Row4 &x = p.base[i], &y = p.base[j], &v = p.w[i], &w = p.w[j];
  const Row4 &a = p.remainder[i], &b = p.remainder[j];
  return {{fma(p.s, w.x - v.x, (y.x - x.x) + (b.x - a.x)),
           fma(p.s, w.y - v.y, (y.y - x.y) + (b.y - a.y)),
           fma(p.s, w.z - v.z, (y.z - x.z) + (b.z - a.z))}};
}

RTSIM_HD inline Index node_of(const Elements& all, Index e, Index k) {
  const Index slot = e / lane_count, l = e % lane_count;
  return k < 4 ? all.slots[slot].corner[k][l] : all.middles[slot].middle[k - 4][l];
}

// Of an element that is tetrahedra or triangles of four or ten nodes.
RTSIM_HD inline Index points_of(const Elements& all) {
  return all.middles.size == 0 ? 1 : all.flat ? 3 : 4;
}

// A symmetric strain: xx, yy, zz, xy, xz, yz.
template <class T>
RTSIM_HD Mat3<T> matrix_of(const VecT<T, 6>& s) {
  return {VecT<T, 3>{{s[0], s[3], s[4]}}, VecT<T, 3>{{s[3], s[1], s[5]}},
          VecT<T, 3>{{s[4], s[5], s[2]}}};
}
template <class T>
RTSIM_HD VecT<T, 6> strain_of(const Mat3<T>& m) {
  return {{m.row[0][0], m.row[1][1], m.row[2][2], m.row[0][1], m.row[0][2], m.row[1][2]}};
}

template <class Law, class Nodes>
RTSIM_HD ElementHere<Real> element_here(const Elements& all, const Places& p, Index e) {
  const ElementSlot& s = all.slots[e / lane_count];
  const Index l = e % lane_count, first = s.corner[0][l];
  ElementHere<Real> here;
  here.rest = rest_of(s, l), here.lame = {s.mu[l], s.lambda[l]};
  here.flat = all.flat, here.through = all.flat ? 1 : 0;
  here.x[0] = {};
  for (int k = 1; k < Nodes::nodes; ++k) here.x[k] = between(p, first, node_of(all, e, k));
  if constexpr (std::is_same_v<Law, Plastic>)
    for (int q = 0; q < Nodes::points(all.flat); ++q)
      here.plastic[q] = matrix_of(all.plastic[e * Nodes::points(all.flat) + q]);
  return here;
}

// Calls act(law, nodes) with the law of a material and the nodes of its elements, on the host.
template <class Act>
auto with_law(const Elements& all, const Act& act) {
  const auto nodes_too = [&](auto law) {
    return all.middles.size > 0 ? act(law, TenNodes{}) : act(law, FourNodes{});
  };
  switch (all.material) {
    case Material::linear:
      return nodes_too(Linear{});
    case Material::corotational:
      return all.plastic.size > 0 ? nodes_too(Plastic{}) : nodes_too(Corotational{});
    case Material::gram_schmidt:
      return nodes_too(GramSchmidt{});
    case Material::stvk:
      return nodes_too(Stvk{});
    case Material::neo_hookean:
      break;
  }
  return nodes_too(NeoHookean{});
}

}  // namespace rtsim::fem
