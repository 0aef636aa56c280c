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

RTSIM_HD inline Mat3<Real> deformation_of(const Elements& all, const Places& p, Index e,
                                          const ElementRest<Real>& rest) {
  const ElementSlot& s = all.slots[e / lane_count];
  const Index l = e % lane_count;
  Vec<3> d[3];
  for (int k = 0; k < 3; ++k) d[k] = between(p, s.corner[0][l], s.corner[k + 1][l]);
  return deformation(rest, d, all.through);
}

// Calls act(law) with the law of a material, on the host.
template <class Act>
auto with_law(Material m, const Act& act) {
  switch (m) {
    case Material::linear:
      return act(Linear{});
    case Material::corotational:
      return act(Corotational{});
    case Material::stvk:
      return act(Stvk{});
    case Material::neo_hookean:
      break;
  }
  return act(NeoHookean{});
}

}  // namespace rtsim::fem
