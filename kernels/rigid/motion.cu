#include "rigid/motion.h"

#include <limits>

#include "rigid/for_bodies.h"
#include "rigid/free_rotation.h"
#include "rigid/push.h"

namespace rtsim::rigid {

namespace {

RTSIM_HD Orientation<2> no_turn(Orientation<2>*) { return {{1, 0}}; }
RTSIM_HD Orientation<3> no_turn(Orientation<3>*) { return {{0, 0, 0, 1}}; }

template <int D>
struct Begin {
  Bodies<D> bodies;
  Span<const std::int32_t> island;
  Row4* movers;
  Push<D>* pushes;
  RTSIM_HD void operator()(Index i) const {
    Mover<D, Real> m{{bodies.velocity[i], bodies.angular_velocity[i]},
                     inverse_or_zero(bodies.mass[i]),
                     inverse_inertia(bodies.orientation[i], felt(bodies.inertia[i])),
                     {},
                     no_turn(static_cast<Orientation<D>*>(nullptr))};
    if (island.size > 0 && island[i] >= 0) m.inverse_mass = 0, m.inertia = {};
    store_mover(movers + mover_rows<D> * i, m);
    pushes[i] = {{}, {}, m.twist};
  }
};

template <int D>
RTSIM_HD void apply(Mover<D, Real>& m, Push<D>& push) {
  m.twist.velocity = m.twist.velocity + push.velocity;
  m.twist.angular = m.twist.angular + m.inertia(push.angular);
  push.since = m.twist;
}

template <int D>
RTSIM_HD bool is_free(const Push<D>& p) {
  return dot(p.velocity, p.velocity) == 0 && dot(p.angular, p.angular) == 0;
}

template <int D>
struct KickBody {
  Kick k;
  Vec<D> gravity;
  Bodies<D> bodies;
  Loads<D> loads;
  bool push;
  Push<D>* pushes;
  Row4* movers;
  RTSIM_HD void operator()(Index i) const {
    Mover<D, Real> m = mover_at<D>(movers, i);
    if (!(m.inverse_mass > 0)) return;
    Push<D>& p = pushes[i];
    collect<D>(m, bodies.orientation[i], bodies.inertia[i], p);
    m.twist.velocity = m.twist.velocity + k.h * (gravity + m.inverse_mass * loads.force[i]);
    m.twist.angular = m.twist.angular + k.h * m.inertia(loads.torque[i]);
    if (k.linear_kept < 1) m.twist.velocity = Real(k.linear_kept) * m.twist.velocity;
    if (k.angular_kept < 1) m.twist.angular = Real(k.angular_kept) * m.twist.angular;
    if (push) apply<D>(m, p);
    const Index first = mover_rows<D> * i;
    store_twist(movers, &first, m);
  }
};

template <int D>
struct PushBody {
  Push<D>* pushes;
  Row4* movers;
  RTSIM_HD void operator()(Index i) const {
    Mover<D, Real> m = mover_at<D>(movers, i);
    if (!(m.inverse_mass > 0)) return;
    apply<D>(m, pushes[i]);
    const Index first = mover_rows<D> * i;
    store_twist(movers, &first, m);
  }
};

// Of unit length, where a is within rounding of it: a step of Newton's for 1 / |a|.
template <int N>
RTSIM_HD VecT<Real, N> near_unit(const VecT<Real, N>& a) {
  return (Real(1.5) - Real(0.5) * dot(a, a)) * a;
}

// By t, whose first powers do where it is small.
RTSIM_HD Orientation<2> turn_by(Real t) {
  if (std::abs(t) > Real(1e-3)) return {{std::cos(t), std::sin(t)}};
  const Real half = Real(0.5) * t * t;
  return {{1 - half, t - t * half * Real(1.0 / 3)}};
}

// A body's, or none.
template <int D>
struct TurnRest {
  Orientation<D>* orientation = nullptr;
  Angular<D>* angular_velocity = nullptr;

  RTSIM_HD static TurnRest of(const TurnRests<D>& rests, Index i) {
    if (i >= rests.orientation.size) return {};
    return {&rests.orientation[i], &rests.angular_velocity[i]};
  }
};

// With its rest, if that is one: of what others changed since it is none.
RTSIM_HD double with_rest(Real a, Real rest) {
  constexpr Real digit = std::numeric_limits<Real>::epsilon();
  return std::abs(rest) <= digit * std::abs(a) ? double(a) + double(rest) : double(a);
}
template <int N>
RTSIM_HD VecT<double, N> with_rests(const VecT<Real, N>& a, const VecT<Real, N>* rest) {
  VecT<double, N> r;
  for (int k = 0; k < N; ++k) r[k] = rest ? with_rest(a[k], (*rest)[k]) : double(a[k]);
  return r;
}
template <int N>
RTSIM_HD void split(const VecT<double, N>& a, VecT<Real, N>& to, VecT<Real, N>* rest) {
  for (int k = 0; k < N; ++k) {
    to[k] = Real(a[k]);
    if (rest) (*rest)[k] = Real(a[k] - double(to[k]));
  }
}

RTSIM_HD void turn(Real h, bool, const Angular<2>&, const TurnRest<2>&, Orientation<2>& q,
                   Mover<2, Real>& m) {
  const Orientation<2> by = turn_by(h * m.twist.angular[0]);
  q = near_unit(product(by, q)), m.turned = near_unit(product(by, m.turned));
}

// -w x I w over I, in the world's axes.
RTSIM_HD Vec<3> gyroscopic(const Orientation<3>& q, const Angular<3>& moment, const Vec<3>& w) {
  const Vec<3> b = rotated_back(q, w);
  Vec<3> a;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, n = (k + 2) % 3;
    a[k] = inverse_or_zero(moment[k]) * (moment[l] - moment[n]) * b[l] * b[n];
  }
  return rotated(q, a);
}

// What hardly turns within the substep needs no more than the first order.
RTSIM_HD void turn_slowly(Real h, const Angular<3>& moment, Orientation<3>& q, Mover<3, Real>& m) {
  m.twist.angular = m.twist.angular + h * gyroscopic(q, moment, m.twist.angular);
  const Vec<3> half = Real(0.5) * h * m.twist.angular;
  const Orientation<3> by = near_unit(Orientation<3>{{half[0], half[1], half[2], 1}});
  q = near_unit(product(by, q)), m.turned = near_unit(product(by, m.turned));
}

RTSIM_HD void turn(Real h, bool touched, const Angular<3>& moment, const TurnRest<3>& rest,
                   Orientation<3>& q, Mover<3, Real>& m) {
  const Real angle = h * norm(m.twist.angular);
  if (touched && angle < Real(1e-3)) return turn_slowly(h, moment, q, m);
  FreeTop top{FreeTop::unit(with_rests(q, rest.orientation)), {}, widen(moment)};
  const FreeTop::Q before = top.q;
  top.w = turned(back(top.q), with_rests(m.twist.angular, rest.angular_velocity));
  // No part turns by more than a tenth; past the last of them nothing that turns so is of use.
  const int parts = angle < Real(100) ? 1 + int(Real(10) * angle) : 1000;
  for (int k = 0; k < parts; ++k) top.advance(double(h) / parts);
  split(turned(top.q, top.w), m.twist.angular, rest.angular_velocity);
  const FreeTop::Q by = FreeTop::unit(product(top.q, back(before)));
  const FreeTop::Q now =
      FreeTop::unit(product(by, FreeTop::Q{{m.turned[0], m.turned[1], m.turned[2], m.turned[3]}}));
  split(top.q, q, rest.orientation);
  for (int a = 0; a < 4; ++a) m.turned[a] = Real(now[a]);
}

// The moments of a thin body's contacts turn with its axis, as their arms do.
RTSIM_HD void go_along(const Orientation<2>&, const Orientation<2>&, const Angular<2>&,
                       Angular<2>&) {}
RTSIM_HD void go_along(const Orientation<3>& before, const Orientation<3>& q,
                       const Angular<3>& moments, Angular<3>& push) {
  const int axis = thin_axis(moments);
  if (axis < 0) return;
  Vec<3> own;
  own[axis] = 1;
  push = rotated(swing_of(product(q, back(before)), rotated(before, own)), push);
}

template <int D>
struct DriftBody {
  Kick k;
  Vec<D> gravity;
  Bodies<D> bodies;
  Loads<D> loads;
  const std::uint8_t* touched;
  Span<const std::uint8_t> carried;
  TurnRests<D> rests;
  Push<D>* pushes;
  Row4* movers;
  RTSIM_HD void operator()(Index i) const {
    if (i < carried.size && carried[i]) return;
    Mover<D, Real> m = mover_at<D>(movers, i);
    if (!(m.inverse_mass > 0) && dot(m.twist.velocity, m.twist.velocity) == 0 &&
        dot(m.twist.angular, m.twist.angular) == 0)
      return;
    m.moved = m.moved + k.h * m.twist.velocity;
    if (i < bodies.position.size) {
      Orientation<D> q = bodies.orientation[i];
      collect<D>(m, q, bodies.inertia[i], pushes[i]);
      // A body that nothing pushes or holds moves on the parabola itself: from v at the substep's
      // end back to its middle.
      if (m.inverse_mass > 0 && touched[i] != held && is_free(pushes[i]))
        m.moved = m.moved - (Real(0.5) * k.h * k.h) * (gravity + m.inverse_mass * loads.force[i]);
      turn(k.h, touched[i] == 1, bodies.inertia[i], TurnRest<D>::of(rests, i), q, m);
      go_along(bodies.orientation[i], q, bodies.inertia[i], pushes[i].angular);
      bodies.orientation[i] = q;
      m.inertia = inverse_inertia(q, felt(bodies.inertia[i]));
      pushes[i].since = m.twist;
    } else {
      Orientation<D> q = m.turned;
      turn(k.h, true, Angular<D>{}, {}, q, m);
    }
    store_mover(movers + mover_rows<D> * i, m);
  }
};

template <int D>
RTSIM_HD void move_exactly(const Vec<D>& moved, Vec<D>& position, Vec<D>& rest) {
  for (int a = 0; a < D; ++a) {
    const double x = double(position[a]) + (double(rest[a]) + double(moved[a]));
    position[a] = Real(x), rest[a] = Real(x - double(position[a]));
  }
}

template <int D>
struct End {
  Bodies<D> bodies;
  Loads<D> loads;
  Span<Vec<D>> rest;
  const Row4* movers;
  RTSIM_HD void operator()(Index i) const {
    const Mover<D, Real> m = mover_at<D>(movers, i);
    bodies.velocity[i] = m.twist.velocity;
    bodies.angular_velocity[i] = m.twist.angular;
    if (rest.size > 0)
      move_exactly(m.moved, bodies.position[i], rest[i]);
    else
      bodies.position[i] = bodies.position[i] + m.moved;
    loads.force[i] = {}, loads.torque[i] = {};
  }
};

}  // namespace

template <int D>
void begin_motion(const Exec& ex, const Bodies<D>& bodies, Span<const std::int32_t> island,
                  Span<Row4> movers, Span<Push<D>> pushes) {
  for_bodies(ex, "rigid.begin", bodies.position.size,
             Begin<D>{bodies, island, movers.data, pushes.data});
}

template <int D>
void kick(const Exec& ex, const Kick& k, const Bodies<D>& bodies, const Loads<D>& loads, bool push,
          Span<Push<D>> pushes, Span<Row4> movers) {
  for_bodies(ex, "rigid.kick", bodies.position.size,
             KickBody<D>{k, narrow<D>(k.gravity), bodies, loads, push, pushes.data, movers.data});
}

template <int D>
void push(const Exec& ex, Span<Push<D>> pushes, Span<Row4> movers) {
  for_bodies(ex, "rigid.push", pushes.size, PushBody<D>{pushes.data, movers.data});
}

template <int D>
void drift(const Exec& ex, const Kick& k, const Bodies<D>& bodies, const Loads<D>& loads,
           Span<const std::uint8_t> touched, Span<const std::uint8_t> carried,
           const TurnRests<D>& rests, Span<Push<D>> pushes, Span<Row4> movers) {
  for_bodies(ex, "rigid.drift", movers.size / mover_rows<D> - spare_movers,
             DriftBody<D>{k, narrow<D>(k.gravity), bodies, loads, touched.data, carried, rests,
                          pushes.data, movers.data});
}

template <int D>
void end_motion(const Exec& ex, const Bodies<D>& bodies, const Loads<D>& loads, Span<Vec<D>> rest,
                Span<const Row4> movers) {
  for_bodies(ex, "rigid.end", bodies.position.size, End<D>{bodies, loads, rest, movers.data});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void begin_motion<D>(const Exec&, const Bodies<D>&, Span<const std::int32_t>,          \
                                Span<Row4>, Span<Push<D>>);                                       \
  template void kick<D>(const Exec&, const Kick&, const Bodies<D>&, const Loads<D>&, bool,        \
                        Span<Push<D>>, Span<Row4>);                                               \
  template void push<D>(const Exec&, Span<Push<D>>, Span<Row4>);                                  \
  template void drift<D>(const Exec&, const Kick&, const Bodies<D>&, const Loads<D>&,             \
                         Span<const std::uint8_t>, Span<const std::uint8_t>, const TurnRests<D>&, \
                         Span<Push<D>>, Span<Row4>);                                              \
  template void end_motion<D>(const Exec&, const Bodies<D>&, const Loads<D>&, Span<Vec<D>>,       \
                              Span<const Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
