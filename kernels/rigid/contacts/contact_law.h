#pragma once
#include "rigid/contacts/friction.h"

// Contact by impulses of soft constraints in small steps: Catto, "Soft Contact", box2d.org 2011,
// and "Solver2D", box2d.org 2024.
namespace rtsim::rigid {

struct ContactLaw {
  bool relaxes;          // no overlap is taken back, and its velocities go
  bool again;            // only what takes more passes than there were:
  Real beyond;           // of a greater load
  Real inverse_h;        // [1/s] of the substep
  Real push_speed;       // [m/s] at most, out of an overlap
  Real bounce_speed;     // [m/s] what comes faster from apart is left to bounce
  Real static_friction;  // largest ratio of friction to pressure while it holds,
  Real friction;         // and where it slides
  Real creep_speed;      // [m/s] what slips more slowly may still be held
  Real rolling;          // [m] largest ratio of a moment against rolling to pressure
};

// How much of its own answer each point gives when all do at once: Jacobi's iteration with less
// than 2 / (sum of the sizes in its row) of each contracts, by Gershgorin's theorem.
template <int D, class T>
RTSIM_HD void damp(const ContactPair<D, T>& pair, ContactBlock<D>& b, Index l) {
  constexpr int angular = ContactBlock<D>::angular;
  const T zero(Real(0)), one(Real(1)), mass = pair.i.inverse_mass + pair.j.inverse_mass;
  for (int k = 0; k < b.points; ++k) {
    const VecT<T, angular> by_i = pair.i.inertia(moment(lane<T>(b.point[k].arm_i, l), pair.normal)),
                           by_j = pair.j.inertia(moment(lane<T>(b.point[k].arm_j, l), pair.normal));
    T row = zero;
    for (int o = 0; o < b.points; ++o) {
      const T at = mass + dot(moment(lane<T>(b.point[o].arm_i, l), pair.normal), by_i) +
                   dot(moment(lane<T>(b.point[o].arm_j, l), pair.normal), by_j);
      const T here = select_less(lane<T>(b.point[o].separation, l), T(nowhere), one, zero);
      row = row + here * max(at, zero - at);
    }
    const T share = T(Real(1.5)) * inverse_or_none(lane<T>(b.point[k].normal_mass, l) * row);
    set_lane(b.point[k].relaxation, l, select_less(share, one, share, one));
  }
}

template <int D, class T>
RTSIM_HD void weigh_points(const ContactPair<D, T>& pair, ContactBlock<D>& b, Index l) {
  for (int k = 0; k < b.points; ++k) {
    auto& point = b.point[k];
    const VecT<T, D> ri = lane<T>(point.arm_i, l), rj = lane<T>(point.arm_j, l);
    set_lane(point.normal_mass, l,
             inverse_or_none(response(pair, ri, rj, pair.normal, pair.normal)));
  }
  damp(pair, b, l);
}

// Effective masses of lanes whose normals, arms and solver bodies are there.
template <int D, class T>
RTSIM_HD void weigh(const Row4* solver_bodies, ContactBlock<D>& b, Index l) {
  const ContactPair<D, T> pair(solver_bodies, b, l);
  weigh_points(pair, b, l);
  place_friction<T>(b, l);
  weigh_friction(pair, b, l);
}

template <int D, class T>
RTSIM_HD void warm_start(const ContactBlock<D>& b, Index l, bool both, Row4* solver_bodies) {
  ContactPair<D, T> pair(solver_bodies, b, l);
  for (int k = 0; k < b.solved_points(); ++k) {
    const auto& point = b.point[k];
    pair.apply(lane<T>(point.arm_i, l), lane<T>(point.arm_j, l),
               lane<T>(point.impulse, l) * pair.normal);
  }
  apply_friction(pair, b, l, lane<T>(b.friction, l));
  const auto roll = lane<T>(b.rolling, l);
  pair.i.twist.angular = pair.i.twist.angular - pair.i.inertia(roll);
  pair.j.twist.angular = pair.j.twist.angular + pair.j.inertia(roll);
  pair.store(solver_bodies, b, l, both);
}

// Which lanes a pass is for.
template <class T>
struct LanesOfPass {
  bool again;
  T beyond, load;

  template <class Law, int D>
  RTSIM_HD LanesOfPass(const Law& law, const ContactBlock<D>& b, Index l)
      : again(law.again), beyond(Real(law.beyond)), load(lane<T>(b.load, l)) {}
  // In the others all stays.
  RTSIM_HD T operator()(const T& after, const T& before) const {
    return again ? select_less(beyond, load, after, before) : after;
  }
  template <int N>
  RTSIM_HD VecT<T, N> operator()(const VecT<T, N>& after, const VecT<T, N>& before) const {
    VecT<T, N> r;
    for (int k = 0; k < N; ++k) r[k] = (*this)(after[k], before[k]);
    return r;
  }
};

template <int D>
RTSIM_HD bool has_turn(const ContactLaw& law, const ContactBlock<D>& b, Index l) {
  return !law.again || law.beyond < b.load[l];
}

// Alike in all directions; kernels/rigid/material.h has what is not.
RTSIM_HD inline Even grain_of(const ContactLaw&) { return {}; }
RTSIM_HD inline bool rolls(const ContactLaw& law) { return law.rolling > 0; }

template <int D, class T, class Law>
RTSIM_HD void resist_rolling(const Law& law, const LanesOfPass<T>& acts, ContactBlock<D>& b,
                             Index l, ContactPair<D, T>& pair) {
  T pressure(Real(0));
  for (int k = 0; k < b.solved_points(); ++k) pressure = pressure + lane<T>(b.point[k].impulse, l);
  const T limit = T(law.rolling) * pressure;
  const auto before = lane<T>(b.rolling, l);
  const auto turning = pair.j.twist.angular - pair.i.twist.angular;
  const auto after = acts(within(before - lane<T>(b.rolling_mass, l) * turning, limit), before);
  set_lane(b.rolling, l, after);
  pair.i.twist.angular = pair.i.twist.angular - pair.i.inertia(after - before);
  pair.j.twist.angular = pair.j.twist.angular + pair.j.inertia(after - before);
}

// The impulse that point k is to have in place of the one `before`, with its separation s and the
// speed at which that grows, if it alone answers. `stops`: what comes nearer is stopped, and no
// overlap taken back but as fast as it goes already.
template <bool stops, class T, class Law, int D>
[[gnu::always_inline]] RTSIM_HD inline T answer(const Law& law, const ContactBlock<D>& b, Index l,
                                                int k, T s, T speed, T before) {
  const auto& point = b.point[k];
  const T zero(Real(0)), one(Real(1));
  // Apart, they may come together within the substep and no farther.
  const T back = law.relaxes ? zero : max(lane<T>(b.bias_rate, l) * s, T(-law.push_speed));
  const T bias = select_less(zero, s, s * T(law.inverse_h), back);
  const T apart = select_less(speed, T(-law.bounce_speed), zero, one);
  const T impulse_scale = law.relaxes || stops ? zero : lane<T>(b.impulse_scale, l);
  const T share = select_less(zero, s, apart, one - impulse_scale);
  T off = speed + bias;
  if (stops) off = select_less(zero, s, off, max(off, min(speed, zero)));
  T change = lane<T>(point.normal_mass, l) * share * off;
  if (!law.relaxes && !stops) change = change + select_less(zero, s, zero, impulse_scale) * before;
  return max(before - lane<T>(point.relaxation, l) * change, zero);
}

// Friction's halves on the outside: ahead of the points that take overlaps back, and behind those
// that relax (kernels/rigid/contacts/friction.h).
template <int D, class T, bool stops = false, class Law>
RTSIM_HD void solve_contact(const Law& law, ContactBlock<D>& b, Index l, bool both,
                            Row4* solver_bodies) {
  ContactPair<D, T> pair(solver_bodies, b, l);
  const LanesOfPass<T> acts(law, b, l);
  const Twist<D, T> before_i = pair.i.twist, before_j = pair.j.twist;
  if (rolls(law)) resist_rolling(law, acts, b, l, pair);
  if (!law.relaxes) solve_friction(law, acts, b, l, pair);
  // Separations follow the bodies through the substeps.
  const Separation<D, T> separation(pair, b, l);
  // All points answer to the same velocities, so that what is symmetric stays so: one after the
  // other they would tilt a column that only symmetry keeps from buckling.
  const Twist<D, T> of_i = pair.i.twist, of_j = pair.j.twist;
  const T zero(Real(0));
  const T at_centres = dot(pair.normal, of_j.velocity - of_i.velocity);
  const VecT<T, D> spin_i = spin_along(of_i.angular, pair.normal),
                   spin_j = spin_along(of_j.angular, pair.normal);
  T all = zero;
  VecT<T, D> at_i = zero * pair.normal, at_j = at_i;  // impulses times arms
  for (int k = 0; k < b.solved_points(); ++k) {
    auto& point = b.point[k];
    const VecT<T, D> ri = lane<T>(point.arm_i, l), rj = lane<T>(point.arm_j, l);
    const T s = separation(lane<T>(point.separation, l), ri, rj);
    const T speed = fused_dot(spin_j, rj, at_centres) - fused_dot(spin_i, ri, zero);
    const T before = lane<T>(point.impulse, l);
    const T after = acts(answer<stops>(law, b, l, k, s, speed, before), before),
            more = after - before;
    set_lane(point.impulse, l, after);
    all = all + more, at_i = fused_add(more, ri, at_i), at_j = fused_add(more, rj, at_j);
  }
  pair.apply_along_normal(all, at_i, at_j);
  if (law.relaxes) solve_friction(law, acts, b, l, pair);
  pair.i.twist = {acts(pair.i.twist.velocity, before_i.velocity),
                  acts(pair.i.twist.angular, before_i.angular)};
  pair.j.twist = {acts(pair.j.twist.velocity, before_j.velocity),
                  acts(pair.j.twist.angular, before_j.angular)};
  pair.store(solver_bodies, b, l, both);
}

// The greatest change of speed that the points of a lane would still make.
template <bool stops, int D, class Law>
RTSIM_HD Real unanswered(const Law& law, const ContactBlock<D>& b, Index l,
                         const Row4* solver_bodies) {
  const ContactPair<D, Real> pair(solver_bodies, b, l);
  const Separation<D, Real> separation(pair, b, l);
  Real most = 0;
  for (int k = 0; k < b.solved_points(); ++k) {
    const auto& point = b.point[k];
    if (!(point.normal_mass[l] > 0)) continue;
    const Vec<D> ri = lane<Real>(point.arm_i, l), rj = lane<Real>(point.arm_j, l);
    const Real s = separation(point.separation[l], ri, rj);
    const Real speed = dot(pair.normal, pair.j.twist.velocity - pair.i.twist.velocity) +
                       dot(spin_along(pair.j.twist.angular, pair.normal), rj) -
                       dot(spin_along(pair.i.twist.angular, pair.normal), ri);
    const Real more = answer<stops>(law, b, l, k, s, speed, point.impulse[l]) - point.impulse[l];
    most = max(most, std::abs(more) / point.normal_mass[l]);
  }
  return most;
}

}  // namespace rtsim::rigid
