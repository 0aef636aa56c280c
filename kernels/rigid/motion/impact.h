#pragma once
#include "rigid/contacts/contact_pair.h"
#include "rigid/material.h"

namespace rtsim::rigid {

// When a gap s > 0 that changes by v t + a t^2 / 2 closes; 0 of one that has.
RTSIM_HD inline Real time_of_contact(Real s, Real v, Real a) {
  if (!(s > 0)) return 0;
  return 2 * s / (std::sqrt(max(v * v - 2 * a * s, Real(0))) - v);
}

// Newton's impact at the points of one pair: those that approach leave at e times that speed,
// impulses only push, and friction stays in its disc. Pairs are taken one after the other, so that
// a blow runs through a row of bodies as it does in Newton's cradle (Guendelman et al., "Nonconvex
// rigid bodies with stacking", SIGGRAPH 2003, section 4).
//
// The blow falls at the time t within the substep at which they meet: they come to it with the old
// velocities and leave with the new ones, so that over the substep a body moves by h v' + t (v -
// v'). Against what does not move, the kick of the rest of the substep, a (h - t), is taken off the
// speed of approach, and off that of leaving. (Not so for turns, nor for the push of other
// contacts.)
template <int D, class Law>
struct Impact {
  static constexpr int most = ContactBlock<D>::most_points;
  const Law& law;
  const ContactBlock<D>& b;
  Index l;
  ContactPair<D, Real> pair;
  Vec<D> before_i, before_j;  // [m/s]
  Vec<D> ri[most], rj[most];
  FrictionMass<Real, D*(D - 1) / 2> mass[most];
  Real target[most], normal[most] = {}, first;  // [m/s], [N s], [s] when the first of them meets
  VecT<Real, D - 1> friction[most] = {};        // [N s]
  bool meets[most] = {};

  RTSIM_HD Impact(const Law& law, const ContactBlock<D>& b, Index l, const Row4* solver_bodies)
      : law(law),
        b(b),
        l(l),
        pair(solver_bodies, b, l),
        before_i(pair.i.twist.velocity),
        before_j(pair.j.twist.velocity),
        first(law.h) {}

  RTSIM_HD Vec<D> velocity(int k) const {
    return pair.j.velocity_at(rj[k]) - pair.i.velocity_at(ri[k]);
  }
  // Whether any point bounces.
  RTSIM_HD bool find() {
    const Separation<D, Real> separation(pair, b, l);
    const Real a = pair.j.inverse_mass > 0 ? Real(0) : -dot(narrow<D>(law.gravity), pair.normal);
    bool any = false;
    for (int k = 0; k < b.points; ++k) {
      ri[k] = lane<Real>(b.point[k].arm_i, l), rj[k] = lane<Real>(b.point[k].arm_j, l);
      const Real speed = dot(pair.normal, velocity(k));
      const Real s = separation(b.point[k].separation[l], ri[k], rj[k]);
      const Real at_end = s + law.h * (speed - Real(0.5) * law.h * a);
      const bool bounces = law.restitution > 0 && speed < -law.threshold && at_end < 0;
      if (!(bounces && b.point[k].normal_mass[l] > 0)) continue;
      const Real t = time_of_contact(s, speed - law.h * a, a), later = a * (law.h - t);
      target[k] = -law.restitution * (speed - later) + later;
      mass[k] = FrictionMass<Real, D*(D - 1) / 2>::of(tangent_response(pair, ri[k], rj[k]));
      meets[k] = any = true, first = min(first, t);
    }
    return any;
  }
  RTSIM_HD void solve(int k) {
    const auto& point = b.point[k];
    const Vec<D> v = velocity(k);
    const Real after =
        max(normal[k] - point.normal_mass[l] * (dot(pair.normal, v) - target[k]), Real(0));
    Vec<D> p = (after - normal[k]) * pair.normal;
    normal[k] = after;
    VecT<Real, D - 1> slip;
    for (int t = 0; t < D - 1; ++t) slip[t] = dot(pair.tangent[t], v);
    const VecT<Real, D - 1> held = friction_by(grain_of(law), friction[k], mass[k], slip,
                                               law.friction * after, law.friction * after);
    for (int t = 0; t < D - 1; ++t) p = p + (held[t] - friction[k][t]) * pair.tangent[t];
    friction[k] = held;
    pair.apply(ri[k], rj[k], p);
  }
  RTSIM_HD void add_to(ReportedImpulses<D>& reported) const {
    for (int k = 0; k < b.points; ++k) {
      reported.normal[k][l] += normal[k];
      for (int t = 0; t < D - 1; ++t) reported.friction[k][t][l] += friction[k][t];
    }
  }
  // Until they meet they move as before.
  RTSIM_HD void move() {
    pair.i.moved = pair.i.moved + first * (before_i - pair.i.twist.velocity);
    pair.j.moved = pair.j.moved + first * (before_j - pair.j.twist.velocity);
  }
};

// `reported`: adds the impulses up, unless null.
template <int D, class Law>
RTSIM_HD bool impact(const Law& law, const ContactBlock<D>& b, Index l, bool both,
                     Row4* solver_bodies, ReportedImpulses<D>* reported) {
  constexpr int sweeps = 16;
  Impact<D, Law> blow(law, b, l, solver_bodies);
  if (!blow.find()) return false;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int k = 0; k < b.points; ++k)
      if (blow.meets[k]) blow.solve(k);
  if (reported) blow.add_to(*reported);
  blow.move();
  store_solver_body(solver_bodies + b.i[l], blow.pair.i);
  if (both) store_solver_body(solver_bodies + b.j[l], blow.pair.j);
  return true;
}

}  // namespace rtsim::rigid
