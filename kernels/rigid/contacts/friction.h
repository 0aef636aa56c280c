#pragma once
#include "rigid/contacts/contact_pair.h"
#include "rigid/shapes/symmetric.h"

// Friction of a contact: one impulse at the centre of its pressure and, in space, a moment about
// its normal. Bodies are rigid: what the points of a plane contact share of them is not determined,
// and solved point by point they would work against each other and use up the limit.
//
// The impulse along the tangents and the moment over a lever are one vector q, which stays in a
// ball, |q| <= mu pressure: an ellipsoid for the limit surface of a patch (Howe & Cutkosky,
// "Practical force-motion models for sliding manipulation", Int. J. Robotics Research 15, 1996). So
// what spins slides more easily. The lever is the mean distance from the centre, weighed with
// pressures. What is thin has no moment about its length (kernels/rigid/motion/slender.h): the
// moment is about a pivot, the normal without its part along that. The disc of one point: Erleben,
// "Stable, Robust, and Versatile Multibody Dynamics Animation", 2005.
//
// A substep answers slip once: by half while overlaps are taken back, ahead of the points, and by
// half while contacts relax, behind them. Friction has no overlap that its impulses relax from, so
// an answer in full in both is one too many: impulses follow velocities as an integral does, in
// contacts one after the other, which is no symmetric operator, and what hardly changes in a pass,
// as the sway of a large pile, then grows (docs/rigid.md).
namespace rtsim::rigid {

// How much mass slips. `least`: no more than the matrix's least eigenvalue.
template <class T, int M>
struct FrictionMass {
  VecT<T, M> all;
  T least;

  // Of the velocities that unit impulses give.
  RTSIM_HD static FrictionMass of(const VecT<T, M>& response) {
    return {inverse_of(response), inverse_or_none(trace(response))};
  }
};

template <class T, int N>
RTSIM_HD T length(const VecT<T, N>& p) {
  if constexpr (N == 1) return max(p[0], T(Real(0)) - p[0]);
  return root(dot(p, p));
}

// No longer than the limit.
template <class T, int N>
RTSIM_HD VecT<T, N> within(const VecT<T, N>& p, T limit) {
  const T size = length(p);
  return select_less(limit, size, limit / max(size, T(Real(1e-30))), T(1)) * p;
}

// Friction that stops the slip where the static limit lets it; else it opposes the slip at the
// dynamic limit: of largest dissipation, whatever the body's inertia. For that its steps go
// straight against the slip, by less than the least mass.
template <class T, int M, int N>
RTSIM_HD VecT<T, N> friction(const VecT<T, N>& before, const FrictionMass<T, M>& mass,
                             const VecT<T, N>& slip, T holds, T slides) {
  const VecT<T, N> stop = before - times(mass.all, slip);
  const VecT<T, N> against = within(before - mass.least * slip, slides);
  const T size = length(stop);
  VecT<T, N> p;
  for (int t = 0; t < N; ++t) p[t] = select_less(holds, size, against[t], stop[t]);
  return p;
}

// Alike in all directions.
struct Even {};

template <class T, int M, int N>
RTSIM_HD VecT<T, N> friction_by(Even, const VecT<T, N>& before, const FrictionMass<T, M>& mass,
                                const VecT<T, N>& slip, T holds, T slides) {
  return friction(before, mass, slip, holds, slides);
}

// Shares of the points of a block in its pressure; before there is any, alike of those that
// overlap, or of all.
template <int D, class T>
struct Shares {
  T of[ContactBlock<D>::most_points] = {};

  RTSIM_HD Shares(const ContactBlock<D>& b, Index l) {
    const T zero(Real(0)), one(Real(1)), little(Real(1e-3));
    T pressure = zero, sum = zero;
    for (int k = 0; k < b.points; ++k) pressure = pressure + lane<T>(b.point[k].impulse, l);
    for (int k = 0; k < b.points; ++k) {
      const T s = lane<T>(b.point[k].separation, l);
      const T near = select_less(s, T(nowhere), select_less(zero, s, little, one), zero);
      of[k] = select_less(zero, pressure, lane<T>(b.point[k].impulse, l), near);
      sum = sum + of[k];
    }
    const T scale = inverse_or_none(sum);
    for (int k = 0; k < b.points; ++k) of[k] = scale * of[k];
  }
};

// To the centre of the pressures, by the arms of now; and the mean distance from it.
template <class T>
RTSIM_HD void turn_friction(ContactBlock<2>&, Index) {}
template <class T>
RTSIM_HD void place_friction(ContactBlock<2>&, Index) {}
template <class T>
RTSIM_HD void turn_friction(const Shares<3, T>& share, ContactBlock<3>& b, Index l) {
  VecT<T, 3> i{}, j{};
  for (int k = 0; k < b.points; ++k) {
    i = i + share.of[k] * lane<T>(b.point[k].arm_i, l);
    j = j + share.of[k] * lane<T>(b.point[k].arm_j, l);
  }
  set_lane(b.centre_i, l, i), set_lane(b.centre_j, l, j);
}
template <class T>
RTSIM_HD void turn_friction(ContactBlock<3>& b, Index l) {
  turn_friction(Shares<3, T>(b, l), b, l);
}
template <class T>
RTSIM_HD void place_friction(ContactBlock<3>& b, Index l) {
  const Shares<3, T> share(b, l);
  turn_friction(share, b, l);
  const VecT<T, 3> centre = lane<T>(b.centre_i, l);
  T lever(Real(0));
  for (int k = 0; k < b.points; ++k)
    lever = lever + share.of[k] * length(lane<T>(b.point[k].arm_i, l) - centre);
  // A single point has none, but for rounding, and so no moment.
  const T zero(Real(0)), least = T(Real(1e-5)) * length(centre);
  set_lane(b.pivot, l, select_less(least, lever, lever, zero) * lane<T>(b.normal, l));
  set_lane(b.friction[2], l, select_less(least, lever, lane<T>(b.friction[2], l), zero));
}

// Velocities along the tangents for unit impulses along them, at given arms.
template <int D, class T>
RTSIM_HD VecT<T, D*(D - 1) / 2> tangent_response(const ContactPair<D, T>& pair,
                                                 const VecT<T, D>& ri, const VecT<T, D>& rj) {
  VecT<T, D*(D - 1) / 2> k;
  for (int t = 0, e = 0; t < D - 1; ++t)
    for (int u = 0; u <= t; ++u, ++e)
      k[e] = response(pair, ri, rj, pair.tangent[t], pair.tangent[u]);
  return k;
}

template <class T>
RTSIM_HD VecT<T, 6> friction_response(const ContactPair<3, T>& pair, const ContactBlock<3>& b,
                                      Index l) {
  const VecT<T, 3> ri = lane<T>(b.centre_i, l), rj = lane<T>(b.centre_j, l);
  const VecT<T, 3> k = tangent_response(pair, ri, rj);
  const VecT<T, 3> pivot = lane<T>(b.pivot, l);
  const VecT<T, 3> by_i = pair.i.inertia(pivot), by_j = pair.j.inertia(pivot);
  const auto& t = pair.tangent;
  // Without a lever there is no moment: anything above zero keeps the matrix invertible.
  const T spin = dot(pivot, by_i + by_j);
  return VecT<T, 6>{{k[0], k[1], k[2], dot(moment(ri, t[0]), by_i) + dot(moment(rj, t[0]), by_j),
                     dot(moment(ri, t[1]), by_i) + dot(moment(rj, t[1]), by_j),
                     select_less(T(Real(0)), spin, spin, k[0])}};
}

template <class T>
RTSIM_HD void weigh_friction(const ContactPair<2, T>& pair, ContactBlock<2>& b, Index l) {
  set_lane(b.friction_mass, l,
           inverse_of(
               tangent_response(pair, lane<T>(b.point[0].arm_i, l), lane<T>(b.point[0].arm_j, l))));
}
template <class T>
RTSIM_HD void weigh_friction(const ContactPair<3, T>& pair, ContactBlock<3>& b, Index l) {
  const auto mass = FrictionMass<T, 6>::of(friction_response(pair, b, l));
  set_lane(b.friction_mass, l, mass.all), set_lane(b.least_mass, l, mass.least);
}
template <class T>
RTSIM_HD FrictionMass<T, 1> mass_of(const ContactBlock<2>& b, Index l, T*) {
  const VecT<T, 1> mass = lane<T>(b.friction_mass, l);
  return {mass, mass[0]};
}
template <class T>
RTSIM_HD FrictionMass<T, 6> mass_of(const ContactBlock<3>& b, Index l, T*) {
  return {lane<T>(b.friction_mass, l), lane<T>(b.least_mass, l)};
}

template <class T>
RTSIM_HD VecT<T, 1> slip_of(const ContactPair<2, T>& pair, const ContactBlock<2>& b, Index l) {
  return {{dot(pair.tangent[0], pair.j.velocity_at(lane<T>(b.point[0].arm_j, l)) -
                                    pair.i.velocity_at(lane<T>(b.point[0].arm_i, l)))}};
}
template <class T>
RTSIM_HD VecT<T, 3> slip_of(const ContactPair<3, T>& pair, const ContactBlock<3>& b, Index l) {
  const VecT<T, 3> v =
      pair.j.velocity_at(lane<T>(b.centre_j, l)) - pair.i.velocity_at(lane<T>(b.centre_i, l));
  const VecT<T, 3> w = pair.j.twist.angular - pair.i.twist.angular;
  return {{dot(pair.tangent[0], v), dot(pair.tangent[1], v), dot(lane<T>(b.pivot, l), w)}};
}

template <class T>
RTSIM_HD void apply_friction(ContactPair<2, T>& pair, const ContactBlock<2>& b, Index l,
                             const VecT<T, 1>& q) {
  pair.apply(lane<T>(b.point[0].arm_i, l), lane<T>(b.point[0].arm_j, l), q[0] * pair.tangent[0]);
}
template <class T>
RTSIM_HD void apply_friction(ContactPair<3, T>& pair, const ContactBlock<3>& b, Index l,
                             const VecT<T, 3>& q) {
  const VecT<T, 3> p = q[0] * pair.tangent[0] + q[1] * pair.tangent[1];
  const VecT<T, 3> m = q[2] * lane<T>(b.pivot, l);
  auto &i = pair.i.twist, &j = pair.j.twist;
  i.velocity = i.velocity - pair.i.inverse_mass * p;
  j.velocity = j.velocity + pair.j.inverse_mass * p;
  i.angular = i.angular - pair.i.inertia(moment(lane<T>(b.centre_i, l), p) + m);
  j.angular = j.angular + pair.j.inertia(moment(lane<T>(b.centre_j, l), p) + m);
}

// What begins to be pulled is held late, as its answers come by halves: while it creeps, the static
// limit holds.
// `acts`: which lanes it is for.
template <int D, class T, class Law, class LanesOfPass>
RTSIM_HD void solve_friction(const Law& law, const LanesOfPass& acts, ContactBlock<D>& b, Index l,
                             ContactPair<D, T>& pair) {
  T pressure(Real(0));
  for (int k = 0; k < b.solved_points(); ++k) pressure = pressure + lane<T>(b.point[k].impulse, l);
  const auto before = lane<T>(b.friction, l);
  const auto slip = slip_of(pair, b, l);
  const T holds = T(law.static_friction) * pressure, slides = T(law.friction) * pressure;
  const auto answer = friction_by(
      grain_of(law), before, mass_of(b, l, static_cast<T*>(nullptr)), T(Real(0.5)) * slip, holds,
      select_less(dot(slip, slip), T(law.creep_speed * law.creep_speed), holds, slides));
  const auto after = acts(answer, before);
  set_lane(b.friction, l, after);
  apply_friction(pair, b, l, after - before);
}

}  // namespace rtsim::rigid
