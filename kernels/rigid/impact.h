#pragma once
#include "rigid/contacts.h"

namespace rtsim::rigid {

// Newton's impact at the points of one pair: those that approach leave at e times that speed,
// impulses only push, and friction stays in its disc. Pairs are taken one after the other, so that
// a blow runs through a row of bodies as it does in Newton's cradle (Guendelman et al., "Nonconvex
// rigid bodies with stacking", SIGGRAPH 2003, section 4).
template <int D>
RTSIM_HD bool impact(const ImpactLaw& law, const ContactBlock<D>& b, Index l, bool both,
                     Row4* movers) {
  constexpr int most = ContactBlock<D>::most_points, sweeps = 16;
  ContactPair<D, Real> pair(movers, b, l);
  const Vec<D> turn_i = turn_along(pair.i.turned, pair.normal),
               turn_j = turn_along(pair.j.turned, pair.normal);
  const Real closer = dot(pair.normal, pair.j.moved - pair.i.moved);
  Vec<D> ri[most], rj[most];
  Real target[most], normal[most] = {};
  bool any = false;
  for (int k = 0; k < b.points; ++k) {
    ri[k] = lane<Real>(b.point[k].arm_i, l), rj[k] = lane<Real>(b.point[k].arm_j, l);
    const Real speed = dot(pair.normal, pair.j.velocity_at(rj[k]) - pair.i.velocity_at(ri[k]));
    const Real s = b.point[k].separation[l] + closer + dot(turn_j, rj[k]) - dot(turn_i, ri[k]);
    const bool meets =
        b.point[k].normal_mass[l] > 0 && speed < -law.threshold && s + law.h * speed < 0;
    target[k] = meets ? -law.restitution * speed : Real(0);
    any = any || meets;
  }
  if (!any) return false;
  VecT<Real, D - 1> friction[most] = {};
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int k = 0; k < b.points; ++k) {
      if (!(target[k] > 0)) continue;
      const auto& point = b.point[k];
      const Vec<D> v = pair.j.velocity_at(rj[k]) - pair.i.velocity_at(ri[k]);
      const Real after =
          max(normal[k] - point.normal_mass[l] * (dot(pair.normal, v) - target[k]), Real(0));
      Vec<D> p = (after - normal[k]) * pair.normal;
      normal[k] = after;
      VecT<Real, D - 1> slip;
      for (int t = 0; t < D - 1; ++t) slip[t] = dot(pair.tangent[t], v);
      const VecT<Real, D - 1> held =
          rigid::friction(friction[k], lane<Real>(point.friction_mass, l), slip,
                          law.friction * after, law.friction * after);
      for (int t = 0; t < D - 1; ++t) p = p + (held[t] - friction[k][t]) * pair.tangent[t];
      friction[k] = held;
      pair.apply(ri[k], rj[k], p);
    }
  pair.store(movers, b, l, both);
  return true;
}

}  // namespace rtsim::rigid
