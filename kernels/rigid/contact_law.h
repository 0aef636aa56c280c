#pragma once
#include "rigid/contact_block.h"

// Contact by impulses of soft constraints in small steps: Catto, "Soft Contact", box2d.org 2011,
// and "Solver2D", box2d.org 2024; the friction disc as Erleben, "Stable, Robust, and Versatile
// Multibody Dynamics Animation", 2005.
namespace rtsim::rigid {

struct ContactLaw {
  bool relaxes;          // no overlap is taken back, and its velocities go
  bool again;            // only what takes more than one pass
  Real inverse_h;        // [1/s] of the substep
  Real push_speed;       // [m/s] at most, out of an overlap
  Real bounce_speed;     // [m/s] what comes faster from apart is left to bounce
  Real static_friction;  // largest ratio of friction to pressure of all points while they hold,
  Real friction;         // and of each where it slides
  Real rolling;          // [m] largest ratio of a moment against rolling to pressure
};

// Across a unit normal: Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017),
// listing 3.
template <class T>
RTSIM_HD void tangents(const VecT<T, 3>& n, VecT<T, 3> (&t)[2]) {
  const T sign = select_negative(n[2], T(-1), T(1));
  const T a = T(-1) / (sign + n[2]), b = n[0] * n[1] * a;
  t[0] = {{T(1) + sign * n[0] * n[0] * a, sign * b, -(sign * n[0])}};
  t[1] = {{b, sign + n[1] * n[1] * a, -n[1]}};
}
template <class T>
RTSIM_HD void tangents(const VecT<T, 2>& n, VecT<T, 2> (&t)[1]) {
  t[0] = {{-n[1], n[0]}};
}

// What would stop the tangential velocities at once.
template <class T>
RTSIM_HD VecT<T, 2> wanted(const VecT<T, 3>& m, const VecT<T, 2>& v) {
  return {{-(m[0] * v[0] + m[1] * v[1]), -(m[1] * v[0] + m[2] * v[1])}};
}
template <class T>
RTSIM_HD VecT<T, 1> wanted(const VecT<T, 1>& m, const VecT<T, 1>& v) {
  return {{-(m[0] * v[0])}};
}

template <class T, int N>
RTSIM_HD T length(const VecT<T, N>& p) {
  if constexpr (N == 1) return max(p[0], T(Real(0)) - p[0]);
  return root(dot(p, p));
}

// Friction holds up to its static limit; past that it slides with the dynamic one.
template <class T, int N>
RTSIM_HD VecT<T, N> within_limit(const VecT<T, N>& p, T holds, T slides) {
  const T size = length(p);
  if constexpr (N == 1) {
    const T slid = select_negative(p[0], T(Real(0)) - slides, slides);
    return {{select_less(holds, size, slid, p[0])}};
  }
  return select_less(holds, size, slides / max(size, T(Real(1e-30))), T(1)) * p;
}

// A mass of friction below the matrix's least, so that steps by it go straight against the slip.
template <class T>
RTSIM_HD T least_mass(const VecT<T, 3>& m) {
  return (m[0] * m[2] - m[1] * m[1]) / max(m[0] + m[2], T(Real(1e-30)));
}
template <class T>
RTSIM_HD T least_mass(const VecT<T, 1>& m) {
  return m[0];
}

// Friction that stops the slip where the static limit lets it; else it opposes the slip at the
// dynamic limit: of largest dissipation, whatever the body's inertia.
template <class T, class Masses, int N>
RTSIM_HD VecT<T, N> friction(const VecT<T, N>& before, const Masses& mass, const VecT<T, N>& slip,
                             T holds, T slides) {
  const VecT<T, N> stop = before + wanted(mass, slip);
  const VecT<T, N> against = within_limit(before - least_mass(mass) * slip, slides, slides);
  const T size = length(stop);
  VecT<T, N> p;
  for (int t = 0; t < N; ++t) p[t] = select_less(holds, size, against[t], stop[t]);
  return p;
}

// Alike in all directions; kernels/rigid/material.h has what is not.
struct Even {};
RTSIM_HD inline Even grain_of(const ContactLaw&) { return {}; }
RTSIM_HD inline bool rolls(const ContactLaw& law) { return law.rolling > 0; }

template <class T, class Masses, int N>
RTSIM_HD VecT<T, N> friction_by(Even, const VecT<T, N>& before, const Masses& mass,
                                const VecT<T, N>& slip, T holds, T slides) {
  return friction(before, mass, slip, holds, slides);
}
// The pressure that friction needs, times its ratio.
template <class T, int N>
RTSIM_HD T needed_by(Even, const VecT<T, N>& f) {
  return length(f);
}

template <int D, class T>
struct ContactPair {
  Mover<D, T> i, j;
  VecT<T, D> normal;
  VecT<T, D> tangent[D - 1];

  [[gnu::always_inline]] RTSIM_HD ContactPair(const Row4* movers, const ContactBlock<D>& b,
                                              Index l) {
    load_mover(movers, b.i + l, i), load_mover(movers, b.j + l, j);
    normal = lane<T>(b.normal, l);
    tangents(normal, tangent);
  }
  // j's row is left alone where it is a boundary's: others read it at the same time.
  RTSIM_HD void store(Row4* movers, const ContactBlock<D>& b, Index l, bool both) const {
    store_twist(movers, b.i + l, i);
    if (both) store_twist(movers, b.j + l, j);
  }
  RTSIM_HD void apply(const VecT<T, D>& arm_i, const VecT<T, D>& arm_j, const VecT<T, D>& p) {
    i.pull(arm_i, p), j.push(arm_j, p);
  }
};

// How far apart points of a pair are by now, if they were `before`, at arms of that time: along its
// normal.
template <int D, class T>
struct Separation {
  T closer;
  VecT<T, D> turn_i, turn_j;

  RTSIM_HD explicit Separation(const ContactPair<D, T>& p)
      : closer(dot(p.normal, p.j.moved - p.i.moved)),
        turn_i(turn_along(p.i.turned, p.normal)),
        turn_j(turn_along(p.j.turned, p.normal)) {}
  RTSIM_HD T operator()(const T& before, const VecT<T, D>& ri, const VecT<T, D>& rj) const {
    return before + closer + dot(turn_j, rj) - dot(turn_i, ri);
  }
};

// Velocity along u at the arms for a unit impulse along t.
template <int D, class T>
RTSIM_HD T response(const ContactPair<D, T>& pair, const VecT<T, D>& ri, const VecT<T, D>& rj,
                    const VecT<T, D>& t, const VecT<T, D>& u) {
  return (pair.i.inverse_mass + pair.j.inverse_mass) * dot(t, u) +
         dot(moment(ri, u), pair.i.inertia(moment(ri, t))) +
         dot(moment(rj, u), pair.j.inertia(moment(rj, t)));
}

template <class T>
RTSIM_HD T inverse_or_none(T a) {
  return select_less(T(Real(0)), a, T(Real(1)) / a, T(Real(0)));
}
template <class T>
RTSIM_HD VecT<T, 1> inverse_of(const VecT<T, 1>& k) {
  return {{inverse_or_none(k[0])}};
}
// Of a symmetric matrix (xx, xy, yy).
template <class T>
RTSIM_HD VecT<T, 3> inverse_of(const VecT<T, 3>& k) {
  const T d = inverse_or_none(k[0] * k[2] - k[1] * k[1]);
  return {{d * k[2], -(d * k[1]), d * k[0]}};
}

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
    set_lane(b.point[k].damped, l, select_less(share, one, share, one));
  }
}

// Effective masses at the points of lanes whose normals, arms and movers are there.
template <int D, class T>
RTSIM_HD void weigh(const Row4* movers, ContactBlock<D>& b, Index l) {
  const ContactPair<D, T> pair(movers, b, l);
  for (int k = 0; k < b.points; ++k) {
    auto& point = b.point[k];
    const VecT<T, D> ri = lane<T>(point.arm_i, l), rj = lane<T>(point.arm_j, l);
    set_lane(point.normal_mass, l,
             inverse_or_none(response(pair, ri, rj, pair.normal, pair.normal)));
    VecT<T, ContactBlock<D>::masses> mass;
    for (int t = 0, e = 0; t < D - 1; ++t)
      for (int u = t; u < D - 1; ++u, ++e)
        mass[e] = response(pair, ri, rj, pair.tangent[t], pair.tangent[u]);
    set_lane(point.friction_mass, l, inverse_of(mass));
  }
  damp(pair, b, l);
}

template <int D, class T>
RTSIM_HD void warm_start(const ContactBlock<D>& b, Index l, bool both, Row4* movers) {
  ContactPair<D, T> pair(movers, b, l);
  for (int k = 0; k < b.points; ++k) {
    const auto& point = b.point[k];
    const VecT<T, D - 1> f = lane<T>(point.friction, l);
    VecT<T, D> p = lane<T>(point.impulse, l) * pair.normal;
    for (int t = 0; t < D - 1; ++t) p = p + f[t] * pair.tangent[t];
    pair.apply(lane<T>(point.arm_i, l), lane<T>(point.arm_j, l), p);
  }
  const auto roll = lane<T>(b.rolling, l);
  pair.i.twist.angular = pair.i.twist.angular - pair.i.inertia(roll);
  pair.j.twist.angular = pair.j.twist.angular + pair.j.inertia(roll);
  pair.store(movers, b, l, both);
}

template <int D, class T, class Law>
RTSIM_HD void resist_rolling(const Law& law, ContactBlock<D>& b, Index l, ContactPair<D, T>& pair) {
  T pressure(Real(0));
  for (int k = 0; k < b.points; ++k) pressure = pressure + lane<T>(b.point[k].impulse, l);
  const T limit = T(law.rolling) * pressure;
  const auto before = lane<T>(b.rolling, l);
  const auto turning = pair.j.twist.angular - pair.i.twist.angular;
  const auto after = within_limit(before - lane<T>(b.rolling_mass, l) * turning, limit, limit);
  set_lane(b.rolling, l, after);
  pair.i.twist.angular = pair.i.twist.angular - pair.i.inertia(after - before);
  pair.j.twist.angular = pair.j.twist.angular + pair.j.inertia(after - before);
}

// Bodies are rigid: how the friction that holds one is shared among the points of a contact is not
// determined, and the solver's way of sharing it need not be that of their pressures. So a point
// holds where all of them together need no more than the static limit of all their pressure, and
// slides by the limit of its own.
template <int D, class T, class Law>
RTSIM_HD void rub(const Law& law, ContactBlock<D>& b, Index l, ContactPair<D, T>& pair) {
  const auto grain = grain_of(law);
  T pressure(Real(0)), needed(Real(0));
  for (int k = 0; k < b.points; ++k) {
    const VecT<T, D - 1> f = lane<T>(b.point[k].friction, l);
    pressure = pressure + lane<T>(b.point[k].impulse, l), needed = needed + needed_by(grain, f);
  }
  for (int k = 0; k < b.points; ++k) {
    auto& point = b.point[k];
    const VecT<T, D> ri = lane<T>(point.arm_i, l), rj = lane<T>(point.arm_j, l);
    const VecT<T, D> v = pair.j.velocity_at(rj) - pair.i.velocity_at(ri);
    VecT<T, D - 1> slip;
    for (int t = 0; t < D - 1; ++t) slip[t] = dot(pair.tangent[t], v);
    const VecT<T, D - 1> before = lane<T>(point.friction, l);
    const T zero(Real(0)), own = lane<T>(point.impulse, l);
    needed = needed - needed_by(grain, before);
    const T holds = select_less(zero, own, T(law.static_friction) * pressure - needed, zero);
    const VecT<T, D - 1> after = friction_by(grain, before, lane<T>(point.friction_mass, l), slip,
                                             holds, T(law.friction) * own);
    needed = needed + needed_by(grain, after);
    set_lane(point.friction, l, after);
    VecT<T, D> p = (after[0] - before[0]) * pair.tangent[0];
    for (int t = 1; t < D - 1; ++t) p = p + (after[t] - before[t]) * pair.tangent[t];
    pair.apply(ri, rj, p);
  }
}

// What must not overlap first, so that friction has the pressure of this round.
template <int D, class T, class Law>
RTSIM_HD void solve_contact(const Law& law, ContactBlock<D>& b, Index l, bool both, Row4* movers) {
  ContactPair<D, T> pair(movers, b, l);
  if (rolls(law)) resist_rolling(law, b, l, pair);
  // Separations follow the bodies through the substeps.
  const Separation<D, T> separation(pair);
  // All points answer to the same velocities, so that what is symmetric stays so: one after the
  // other they would tilt a column that only symmetry keeps from buckling.
  const Twist<D, T> of_i = pair.i.twist, of_j = pair.j.twist;
  const T zero(Real(0)), one(Real(1));
  const T rate = law.relaxes ? zero : lane<T>(b.rate, l);
  const T give = law.relaxes ? zero : lane<T>(b.give, l);
  const VecT<T, D> apart_at_centres = of_j.velocity - of_i.velocity;
  for (int k = 0; k < b.points; ++k) {
    auto& point = b.point[k];
    const VecT<T, D> ri = lane<T>(point.arm_i, l), rj = lane<T>(point.arm_j, l);
    const T s = separation(lane<T>(point.separation, l), ri, rj);
    // Apart, they may come together within the substep and no farther.
    const T bias = select_less(zero, s, s * T(law.inverse_h), max(rate * s, T(-law.push_speed)));
    const VecT<T, D> v = apart_at_centres + turning(of_j.angular, rj) - turning(of_i.angular, ri);
    const T speed = dot(pair.normal, v);
    const T apart = select_less(speed, T(-law.bounce_speed), zero, one);
    const T share = select_less(zero, s, apart, one - give);
    const T leak = select_less(zero, s, zero, give);
    const T before = lane<T>(point.impulse, l);
    const T change = lane<T>(point.normal_mass, l) * share * (speed + bias) + leak * before;
    const T after = max(before - lane<T>(point.damped, l) * change, zero);
    set_lane(point.impulse, l, after);
    pair.apply(ri, rj, (after - before) * pair.normal);
  }
  rub(law, b, l, pair);
  pair.store(movers, b, l, both);
}

}  // namespace rtsim::rigid
