#include "rigid/motion/motion.h"

#include <limits>

#include "rigid/motion/for_bodies.h"
#include "rigid/motion/free_rotation.h"
#include "rigid/narrow_phase/in_line.h"

namespace rtsim::rigid {

namespace {

RTSIM_HD Orientation<2> no_turn(Orientation<2>*) { return {{1, 0}}; }
RTSIM_HD Orientation<3> no_turn(Orientation<3>*) { return {{0, 0, 0, 1}}; }

// Such bodies are not even looked at: a million of them fill no cache.
RTSIM_HD bool sleeps(const Span<const std::int32_t>& island, Index i) {
  return i < island.size && island[i] >= 0;
}

template <int D>
struct Begin {
  Bodies<D> bodies;
  Span<const std::int32_t> island;
  Row4* solver_bodies;
  Push<D>* pushes;
  RTSIM_HD void operator()(Index i) const {
    SolverBody<D, Real> m{{bodies.velocity[i], bodies.angular_velocity[i]},
                          0,
                          {},
                          {},
                          no_turn(static_cast<Orientation<D>*>(nullptr))};
    if (!sleeps(island, i)) {
      m.inverse_mass = inverse_or_zero(bodies.mass[i]);
      m.inertia = inverse_inertia(bodies.orientation[i], regularised_inertia(bodies.inertia[i]));
    }
    store_solver_body(solver_bodies + solver_body_rows<D> * i, m);
    pushes[i] = {{}, {}, m.twist};
  }
};

template <int D, class T>
RTSIM_HD void apply(SolverBody<D, T>& m, Push<D, T>& push) {
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
  Span<const std::int32_t> island;
  bool push;
  Push<D>* pushes;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index i) const {
    if (moves(i)) act<Real>(i);
  }
  RTSIM_HD bool moves(Index i) const {
    return !sleeps(island, i) && solver_bodies[solver_body_rows<D> * i].w > 0;
  }
  [[gnu::flatten]] bool eight(Index i) const {
#ifndef __CUDA_ARCH__
    for (Index l = 0; l < lane_count; ++l)
      if (!moves(i + l)) return false;
    act<Lanes<Real>>(i);
#endif
    return true;
  }
  template <class T>
  RTSIM_HD void act(Index i) const {
    SolverBody<D, T> m;
    const SolverBodyRows at = solver_body_rows_of<D>(i);
    load_solver_body(solver_bodies, at.first, m);
    Push<D, T> p = push_of<T>(pushes, i);
    collect<D>(m, in_line<T>(bodies.orientation, i), in_line<T>(bodies.inertia, i), p);
    m.twist.velocity = m.twist.velocity +
                       T(k.h) * (wide<T>(gravity) + m.inverse_mass * in_line<T>(loads.force, i));
    m.twist.angular = m.twist.angular + T(k.h) * m.inertia(in_line<T>(loads.torque, i));
    if (k.linear_kept < 1) m.twist.velocity = T(Real(k.linear_kept)) * m.twist.velocity;
    if (k.angular_kept < 1) m.twist.angular = T(Real(k.angular_kept)) * m.twist.angular;
    if (push) apply(m, p);
    put_push(pushes, i, p);
    store_twist(solver_bodies, at.first, m);
  }
};

template <int D>
struct PushBody {
  Push<D>* pushes;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index i) const {
    SolverBody<D, Real> m = solver_body_at<D>(solver_bodies, i);
    if (!(m.inverse_mass > 0)) return;
    apply(m, pushes[i]);
    const Index first = solver_body_rows<D> * i;
    store_twist(solver_bodies, &first, m);
  }
};

// Of unit length, where a is within rounding of it: a step of Newton's for 1 / |a|.
template <class T, int N>
RTSIM_HD VecT<T, N> near_unit(const VecT<T, N>& a) {
  return (T(Real(1.5)) - T(Real(0.5)) * dot(a, a)) * a;
}

[[maybe_unused]] constexpr unsigned every_lane =  // on the CPU
    (1u << lane_count) - 1;

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

constexpr Real digit = std::numeric_limits<Real>::epsilon();

// With its rest, if that is one: of what others changed since it is none.
RTSIM_HD double with_rest(Real a, Real rest) {
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

// What turns by less within a substep needs no more than the first powers of the angle.
constexpr Real slow_turn = Real(1e-3);

template <class T>
RTSIM_HD void turn_slowly(Real h, const VecT<T, 1>&, VecT<T, 2>& q, SolverBody<2, T>& m) {
  const T angle = T(h) * m.twist.angular[0], half = T(Real(0.5)) * angle * angle;
  const VecT<T, 2> by{{T(Real(1)) - half, angle - angle * half * T(Real(1.0 / 3))}};
  q = near_unit(product(by, q)), m.turned = near_unit(product(by, m.turned));
}

RTSIM_HD void rotate(Real h, bool, const Angular<2>& moment, const TurnRest<2>&, Orientation<2>& q,
                     SolverBody<2, Real>& m) {
  const Real angle = h * m.twist.angular[0];
  if (std::abs(angle) < slow_turn) return turn_slowly(h, moment, q, m);
  const Orientation<2> by{{std::cos(angle), std::sin(angle)}};
  q = near_unit(product(by, q)), m.turned = near_unit(product(by, m.turned));
}

// -w x I w over I, in the world's axes.
template <class T>
RTSIM_HD VecT<T, 3> gyroscopic(const VecT<T, 4>& q, const VecT<T, 3>& moment, const VecT<T, 3>& w) {
  const VecT<T, 3> b = turned(back(q), w);
  VecT<T, 3> a;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, n = (k + 2) % 3;
    a[k] = inverse_or_zero(moment[k]) * (moment[l] - moment[n]) * b[l] * b[n];
  }
  return turned(q, a);
}

template <class T>
RTSIM_HD void turn_slowly(Real h, const VecT<T, 3>& moment, VecT<T, 4>& q, SolverBody<3, T>& m) {
  m.twist.angular = m.twist.angular + T(h) * gyroscopic(q, moment, m.twist.angular);
  const VecT<T, 3> half = T(Real(0.5) * h) * m.twist.angular;
  const VecT<T, 4> by = near_unit(VecT<T, 4>{{half[0], half[1], half[2], T(Real(1))}});
  q = near_unit(product(by, q)), m.turned = near_unit(product(by, m.turned));
}

RTSIM_HD void rotate(Real h, bool touched, const Angular<3>& moment, const TurnRest<3>& rest,
                     Orientation<3>& q, SolverBody<3, Real>& m) {
  const Real angle = h * norm(m.twist.angular);
  if (touched && angle < slow_turn) return turn_slowly(h, moment, q, m);
  FreeTop top{FreeTop::unit(with_rests(q, rest.orientation)), {}, widen(moment)};
  const FreeTop::Q before = top.q;
  top.w = turned(back(top.q), with_rests(m.twist.angular, rest.angular_velocity));
  top.fly(double(h), angle);
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
  const int axis = slender_axis(moments);
  if (axis < 0) return;
  Vec<3> own;
  own[axis] = 1;
  push = turned(swing_of(product(q, back(before)), turned(before, own)), push);
}

template <int D>
struct DriftBody {
  Kick k;
  Vec<D> gravity;
  Bodies<D> bodies;
  Loads<D> loads;
  const std::uint8_t* touched;
  Span<const std::uint8_t> carried;
  Span<const std::int32_t> island;
  TurnRests<D> rests;
  Push<D>* pushes;
  Row4* solver_bodies;
  RTSIM_HD void operator()(Index i) const {
    if (i < carried.size && carried[i]) return;
    if (stays(i)) return;
    SolverBody<D, Real> m = solver_body_at<D>(solver_bodies, i);
    m.moved = m.moved + k.h * m.twist.velocity;
    if (i < bodies.position.size) {
      Orientation<D> q = bodies.orientation[i];
      collect<D>(m, q, bodies.inertia[i], pushes[i]);
      const bool free = m.inverse_mass > 0 && touched[i] != held && is_free(pushes[i]);
      if (free) m.moved = m.moved - back_to_middle(m, i);
      const bool driven = free && has_torque(i);
      const Angular<D> half = driven ? Real(0.5) * k.h * m.inertia(loads.torque[i]) : Angular<D>{};
      if (driven) m.twist.angular = m.twist.angular - half;
      rotate(k.h, touched[i] == 1, bodies.inertia[i], TurnRest<D>::of(rests, i), q, m);
      if (driven) m.twist.angular = m.twist.angular + half;
      go_along(bodies.orientation[i], q, bodies.inertia[i], pushes[i].angular);
      bodies.orientation[i] = q;
      m.inertia = inverse_inertia(q, regularised_inertia(bodies.inertia[i]));
      pushes[i].since = m.twist;
    } else {
      Orientation<D> q = m.turned;
      rotate(k.h, true, Angular<D>{}, {}, q, m);
    }
    store_solver_body(solver_bodies + solver_body_rows<D> * i, m);
  }
  RTSIM_HD bool stays(Index i) const {
    if (sleeps(island, i)) return true;
    const SolverBody<D, Real> m = solver_body_at<D>(solver_bodies, i);
    return !(m.inverse_mass > 0) && dot(m.twist.velocity, m.twist.velocity) == 0 &&
           dot(m.twist.angular, m.twist.angular) == 0;
  }
  RTSIM_HD bool has_torque(Index i) const { return dot(loads.torque[i], loads.torque[i]) > 0; }
  // A body that nothing pushes or holds moves on the parabola itself: from v at the substep's end
  // back to its middle. So it turns, too, with what it has of a torque in the middle.
  template <class T>
  RTSIM_HD VecT<T, D> back_to_middle(const SolverBody<D, T>& m, Index i) const {
    return T(Real(0.5) * k.h * k.h) *
           (wide<T>(gravity) + m.inverse_mass * in_line<T>(loads.force, i));
  }
  // The same for eight that contacts touch and that turn slowly, if they are such.
  [[gnu::flatten]] bool eight(Index i) const {
#ifndef __CUDA_ARCH__
    using T = Lanes<Real>;
    if (i + lane_count > bodies.position.size) return false;
    Index stay = 0;
    for (Index l = i; l < i + lane_count; ++l) stay += stays(l);
    if (stay == lane_count) return true;
    for (Index l = i; l < i + lane_count; ++l)
      if ((l < carried.size && carried[l]) || touched[l] != 1 || has_torque(l) ||
          slender_axis(bodies.inertia[l]) >= 0)
        return false;
    SolverBody<D, T> m;
    const SolverBodyRows at = solver_body_rows_of<D>(i);
    load_solver_body(solver_bodies, at.first, m);
    const T turned_squared = T(k.h * k.h) * dot(m.twist.angular, m.twist.angular), none(Real(0));
    if (less(turned_squared, T(slow_turn * slow_turn)) != every_lane ||
        less(none, m.inverse_mass) != every_lane)
      return false;
    m.moved = m.moved + T(k.h) * m.twist.velocity;
    auto q = in_line<T>(bodies.orientation, i);
    const auto moments = in_line<T>(bodies.inertia, i);
    Push<D, T> p = push_of<T>(pushes, i);
    collect<D>(m, q, moments, p);
    const T speed2 = dot(p.velocity, p.velocity) + dot(p.angular, p.angular);
    m.moved = m.moved - select_less(none, speed2, none, T(Real(1))) * back_to_middle(m, i);
    turn_slowly(k.h, moments, q, m);
    put_line(bodies.orientation, i, q);
    m.inertia = inverse_inertia(q, regularised_inertia(moments));
    p.since = m.twist;
    put_push(pushes, i, p);
    store_solver_body(solver_bodies, at.first, m);
#endif
    return true;
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
  const Row4* solver_bodies;
  RTSIM_HD void operator()(Index i) const {
    const SolverBody<D, Real> m = solver_body_at<D>(solver_bodies, i);
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
void begin_motion(const Exec& ex, const Rows& rows, const Bodies<D>& bodies,
                  Span<const std::int32_t> island, Span<Row4> solver_bodies, Span<Push<D>> pushes) {
  for_bodies(ex, "rigid.begin", rows, Begin<D>{bodies, island, solver_bodies.data, pushes.data});
}

template <int D>
void kick(const Exec& ex, const Rows& rows, const Kick& k, const Bodies<D>& bodies,
          const Loads<D>& loads, Span<const std::int32_t> island, bool push, Span<Push<D>> pushes,
          Span<Row4> solver_bodies) {
  for_eights(ex, "rigid.kick", rows,
             KickBody<D>{k, narrow<D>(k.gravity), bodies, loads, island, push, pushes.data,
                         solver_bodies.data});
}

template <int D>
void push(const Exec& ex, const Rows& rows, Span<Push<D>> pushes, Span<Row4> solver_bodies) {
  for_bodies(ex, "rigid.push", rows, PushBody<D>{pushes.data, solver_bodies.data});
}

template <int D>
void drift(const Exec& ex, const Rows& rows, const Kick& k, const Bodies<D>& bodies,
           const Loads<D>& loads, Span<const std::uint8_t> touched,
           Span<const std::uint8_t> carried, Span<const std::int32_t> island,
           const TurnRests<D>& rests, Span<Push<D>> pushes, Span<Row4> solver_bodies) {
  for_eights(ex, "rigid.drift", rows,
             DriftBody<D>{k, narrow<D>(k.gravity), bodies, loads, touched.data, carried, island,
                          rests, pushes.data, solver_bodies.data});
}

template <int D>
void end_motion(const Exec& ex, const Rows& rows, const Bodies<D>& bodies, const Loads<D>& loads,
                Span<Vec<D>> rest, Span<const Row4> solver_bodies) {
  for_bodies(ex, "rigid.end", rows, End<D>{bodies, loads, rest, solver_bodies.data});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void begin_motion<D>(const Exec&, const Rows&, const Bodies<D>&,                        \
                                Span<const std::int32_t>, Span<Row4>, Span<Push<D>>);              \
  template void kick<D>(const Exec&, const Rows&, const Kick&, const Bodies<D>&, const Loads<D>&,  \
                        Span<const std::int32_t>, bool, Span<Push<D>>, Span<Row4>);                \
  template void push<D>(const Exec&, const Rows&, Span<Push<D>>, Span<Row4>);                      \
  template void drift<D>(const Exec&, const Rows&, const Kick&, const Bodies<D>&, const Loads<D>&, \
                         Span<const std::uint8_t>, Span<const std::uint8_t>,                       \
                         Span<const std::int32_t>, const TurnRests<D>&, Span<Push<D>>,             \
                         Span<Row4>);                                                              \
  template void end_motion<D>(const Exec&, const Rows&, const Bodies<D>&, const Loads<D>&,         \
                              Span<Vec<D>>, Span<const Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
