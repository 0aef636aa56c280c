#pragma once
#include "rigid/contacts/contact_block.h"

namespace rtsim::rigid {

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

template <class T>
[[gnu::always_inline]] RTSIM_HD inline void load_bodies(const Row4* rows, const ContactBlock<2>& b,
                                                        Index l, SolverBody<2, T>& i,
                                                        SolverBody<2, T>& j) {
  load_motion(rows, b.i + l, i), load_motion(rows, b.j + l, j);
  i.inertia = {lane<T>(b.inertia_i, l)}, j.inertia = {lane<T>(b.inertia_j, l)};
}
template <class T>
[[gnu::always_inline]] RTSIM_HD inline void load_bodies(const Row4* rows, const ContactBlock<3>& b,
                                                        Index l, SolverBody<3, T>& i,
                                                        SolverBody<3, T>& j) {
  load_solver_body(rows, b.i + l, i), load_solver_body(rows, b.j + l, j);
}

template <int D, class T>
struct ContactPair {
  SolverBody<D, T> i, j;
  VecT<T, D> normal;
  VecT<T, D> tangent[D - 1];

  [[gnu::always_inline]] RTSIM_HD ContactPair(const Row4* solver_bodies, const ContactBlock<D>& b,
                                              Index l) {
    load_bodies(solver_bodies, b, l, i, j);
    normal = lane<T>(b.normal, l);
    tangents(normal, tangent);
  }
  // j's row is left alone where it is a boundary's: others read it at the same time.
  RTSIM_HD void store(Row4* solver_bodies, const ContactBlock<D>& b, Index l, bool both) const {
    store_twist(solver_bodies, b.i + l, i);
    if (both) store_twist(solver_bodies, b.j + l, j);
  }
  RTSIM_HD void apply(const VecT<T, D>& arm_i, const VecT<T, D>& arm_j, const VecT<T, D>& p) {
    i.pull(arm_i, p), j.push(arm_j, p);
  }
  // Impulses along the normal, all of them, and the sums of each times its arms.
  RTSIM_HD void apply_along_normal(const T& all, const VecT<T, D>& at_i, const VecT<T, D>& at_j) {
    i.twist.velocity = i.twist.velocity - (i.inverse_mass * all) * normal;
    j.twist.velocity = j.twist.velocity + (j.inverse_mass * all) * normal;
    i.twist.angular = i.twist.angular - i.inertia(moment(at_i, normal));
    j.twist.angular = j.twist.angular + j.inertia(moment(at_j, normal));
  }
};

// How far apart points of a pair are by now, if they were `before`, at arms of that time: along its
// normal. Arms turn with their bodies, but for what of them is the radius of a round surface:
// whatever of that has turned there, it reaches as far along the normal.
template <int D, class T>
struct Separation {
  T closer;
  VecT<T, D> turn_i, turn_j;

  RTSIM_HD Separation(const ContactPair<D, T>& p, const ContactBlock<D>& b, Index l)
      : closer(dot(p.normal, p.j.moved - p.i.moved)),
        turn_i(turn_along(p.i.turned, p.normal)),
        turn_j(turn_along(p.j.turned, p.normal)) {
    closer = fused_dot(lane<T>(b.round_i, l) * turn_i + lane<T>(b.round_j, l) * turn_j, p.normal,
                       closer);
  }
  RTSIM_HD T operator()(const T& before, const VecT<T, D>& ri, const VecT<T, D>& rj) const {
    return before + fused_dot(turn_j, rj, closer) - fused_dot(turn_i, ri, T(Real(0)));
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

// What each contact of a block gave to its bodies over a step, blows of bounces too [N s] on j. In
// a substep it gives all the impulse that it ends with: what it ended the last one with acts again
// at the start, and the solves change it to that.
template <int D>
struct ReportedImpulses {
  static constexpr int most_points = ContactBlock<D>::most_points;
  Real normal[most_points][lane_count];
  Real friction[most_points][D - 1][lane_count];
  Real moment[ContactBlock<D>::angular][lane_count];  // [N m s]

  // Friction is shared among the points as pressure is.
  RTSIM_HD void add(const ContactBlock<D>& b, Index l) {
    Real pressure = 0;
    for (int k = 0; k < b.points; ++k) pressure += b.point[k].impulse[l];
    for (int k = 0; k < b.points; ++k) {
      const Real share = pressure > 0 ? b.point[k].impulse[l] / pressure : 0;
      normal[k][l] += b.point[k].impulse[l];
      for (int e = 0; e < D - 1; ++e) friction[k][e][l] += share * b.friction[e][l];
    }
    set_lane(moment, l, lane<Real>(moment, l) + lane<Real>(b.rolling, l) + left(b, l, pressure));
  }

 private:
  // What the moment of friction is besides.
  RTSIM_HD static Angular<2> left(const ContactBlock<2>&, Index, Real) { return {}; }
  RTSIM_HD static Angular<3> left(const ContactBlock<3>& b, Index l, Real pressure) {
    Vec<3> t[2], off = lane<Real>(b.centre_j, l);
    const Vec<3> n = lane<Real>(b.normal, l);
    tangents(n, t);
    for (int k = 0; pressure > 0 && k < b.points; ++k)
      off = off - (b.point[k].impulse[l] / pressure) * lane<Real>(b.point[k].arm_j, l);
    return cross(off, b.friction[0][l] * t[0] + b.friction[1][l] * t[1]) +
           b.friction[2][l] * lane<Real>(b.pivot, l);
  }
};

}  // namespace rtsim::rigid
