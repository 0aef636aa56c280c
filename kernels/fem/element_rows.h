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
  return {{fma(p.s, w.x - v.x, y.x - x.x), fma(p.s, w.y - v.y, y.y - x.y),
           fma(p.s, w.z - v.z, y.z - x.z)}};
}

RTSIM_HD inline Index node_of(const Elements& all, Index e, Index k) {
  const Index slot = e / lane_count, l = e % lane_count;
  return k < 4 ? all.slots[slot].corner[k][l] : all.middles[slot].middle[k - 4][l];
}

template <class Nodes>
RTSIM_HD ElementHere<Real> element_here(const Elements& all, const Places& p, Index e) {
  const ElementSlot& s = all.slots[e / lane_count];
  const Index l = e % lane_count, first = s.corner[0][l];
  ElementHere<Real> here;
  here.rest = rest_of(s, l), here.lame = {s.mu[l], s.lambda[l]};
  here.flat = all.flat, here.through = all.flat ? 1 : 0;
  here.x[0] = {};
  for (int k = 1; k < Nodes::nodes; ++k) here.x[k] = between(p, first, node_of(all, e, k));
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
      return nodes_too(Corotational{});
    case Material::stvk:
      return nodes_too(Stvk{});
    case Material::neo_hookean:
      break;
  }
  return nodes_too(NeoHookean{});
}

}  // namespace rtsim::fem
