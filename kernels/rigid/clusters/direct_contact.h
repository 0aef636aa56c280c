#pragma once
#include "rigid/clusters/lcp_row.h"

// The equations of one contact: kernels/rigid/contacts/contact_law.h, of all points that may press
// and of friction that holds, also where no overlap is taken back: without friction, points that
// face all but the same way would have to hold what slips, by impulses without bound. What slides
// is left to the passes.
//
// Rows of a contact, and those of bodies in a loop, are not independent of each other. What no
// velocity tells of their impulses stays what it was: changes are softened a little, and so the
// matrix is one and the same for every choice of the points that press, and pivoting ends.
namespace rtsim::rigid {

template <int D>
constexpr int direct_points = Manifold<D>::most_points;
template <int D>
constexpr int direct_friction = D == 2 ? 1 : 3;
template <int D>
using FrictionImpulse = VecT<Real, direct_friction<D>>;

template <int D, class Law>
RTSIM_HD FrictionImpulse<D> allowed_friction(const Law& law, const ContactBlock<D>& b, Index l,
                                             const FrictionImpulse<D>& q, Real pressure) {
  return friction_by(grain_of(law), q, mass_of(b, l, static_cast<Real*>(nullptr)),
                     FrictionImpulse<D>{}, law.static_friction * pressure, law.friction * pressure);
}
template <int D, class Law>
RTSIM_HD bool sticks(const Law& law, const ContactBlock<D>& b, Index l, const FrictionImpulse<D>& q,
                     Real pressure) {
  const FrictionImpulse<D> may = allowed_friction(law, b, l, q, pressure);
  for (int e = 0; e < direct_friction<D>; ++e)
    if (may[e] != q[e]) return false;
  return true;
}

template <int D, class Law>
struct DirectContact {
  const Law& law;
  const ContactBlock<D>& b;
  Index l;
  LcpRow<D> blank;  // with its slot and bodies
  ContactPair<D, Real> pair;
  WideSolverBody<D> i, j;

  // What softens changes, of a row's own answer: arms are floats, so what answers by less is
  // rounding's.
  static constexpr double change_soft = 1e-6;

  RTSIM_HD DirectContact(const Law& how, const ContactBlock<D>& block, Index lane,
                         const Row4* solver_bodies, const LcpRow<D>& of)
      : law(how),
        b(block),
        l(lane),
        blank(of),
        pair(solver_bodies, block, lane),
        i(pair.i),
        j(pair.j) {}

  RTSIM_HD VecT<double, D> arm(const Real (&lines)[D][lane_count]) const {
    return wide(lane<Real>(lines, l));
  }
  // Along u at the arms, from i to j; with moments.
  RTSIM_HD LcpRow<D> row(int at, const VecT<double, D>& u, const Spin<D>& on_i, const Spin<D>& on_j,
                         Real before) const {
    LcpRow<D> r = blank;
    r.at = at;
    r.along[0] = join<D>(-u, -on_i), r.along[1] = join<D>(u, on_j);
    r.response[0] = i.answer(r.along[0]), r.response[1] = j.answer(r.along[1]);
    r.soft = change_soft * r.own();
    r.before = before;
    r.asked = r.still = -r.speed(i, j);
    return r;
  }
  // Behind the rows of others; returns how many they are then.
  RTSIM_HD Index gather(LcpRow<D>* rows, Index n) const {
    const Separation<D, Real> separation(pair, b, l);
    const VecT<double, D> u = wide(pair.normal);
    Real pressure = 0;
    for (int k = 0; k < b.points; ++k) {
      const auto& point = b.point[k];
      pressure += point.impulse[l];
      if (!(point.separation[l] < nowhere / 2)) continue;
      const Real s =
          separation(point.separation[l], lane<Real>(point.arm_i, l), lane<Real>(point.arm_j, l));
      rows[n] =
          row(k, u, moment(arm(point.arm_i), u), moment(arm(point.arm_j), u), point.impulse[l]);
      if (bears(s, rows[n])) ++n;
    }
    if (pressure > 0 && sticks(law, b, l, lane<Real>(b.friction, l), pressure))
      n = gather_friction(rows, n);
    return n;
  }
  // v + bias + soft P = 0, soft also where points are apart. False of points that bounce, and where
  // no overlap is taken back of such that are apart. What does not press yet has given impulses.
  RTSIM_HD bool bears(double s, LcpRow<D>& r) const {
    if (s > 0 && (law.relaxes || -r.asked < -law.bounce_speed)) return false;
    if (!law.relaxes) {
      const double rate = b.bias_rate[l];
      const double soft = softness(b.impulse_scale[l]) / double(b.point[r.at].normal_mass[l]);
      r.asked -= s > 0 ? s * law.inverse_h : max(rate * s, -double(law.push_speed));
      r.asked -= soft * r.before;
      r.soft += soft;
    }
    r.known = !(r.before > 0) && !(r.asked > 0);
    return true;
  }
  RTSIM_HD Index gather_friction(LcpRow<D>* rows, Index n) const {
    if constexpr (D == 2) {
      const VecT<double, 2> u = wide(pair.tangent[0]);
      rows[n++] = row(direct_points<D>, u, moment(arm(b.point[0].arm_i), u),
                      moment(arm(b.point[0].arm_j), u), b.friction[0][l]);
    } else {
      for (int e = 0; e < 2; ++e) {
        const VecT<double, 3> u = wide(pair.tangent[e]);
        rows[n++] = row(direct_points<D> + e, u, moment(arm(b.centre_i), u),
                        moment(arm(b.centre_j), u), b.friction[e][l]);
      }
      const Spin<3> m = wide(lane<Real>(b.pivot, l));
      if (dot(m, m) > 0) rows[n++] = row(direct_points<D> + 2, {}, m, m, b.friction[2][l]);
    }
    return n;
  }
};

}  // namespace rtsim::rigid
