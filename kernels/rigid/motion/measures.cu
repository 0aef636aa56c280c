#include "rigid/motion/measures.h"

#include <limits>

#include "exec/parallel.h"
#include "rigid/contacts/contact_law.h"
#include "rigid/motion/for_bodies.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim::rigid {

namespace {

RTSIM_HD void spin_of(const Orientation<2>&, const Angular<2>& w, const Angular<2>& i,
                      double (&l)[3], double& twice) {
  l[2] += double(i[0]) * double(w[0]);
  twice += double(i[0]) * double(w[0]) * double(w[0]);
}
RTSIM_HD void spin_of(const Orientation<3>& q, const Angular<3>& w, const Angular<3>& i,
                      double (&l)[3], double& twice) {
  if (dot(w, w) == 0) return;
  // In doubles: what is measured is how well floats keep it.
  VecT<double, 4> turn;
  for (int k = 0; k < 4; ++k) turn[k] = double(q[k]);
  const Vec3d b = turned(back(turn), widen(w));
  Vec3d m;
  for (int k = 0; k < 3; ++k) m[k] = double(i[k]) * b[k];
  twice += dot(m, b);
  const Vec3d world = turned(turn, m);
  for (int k = 0; k < 3; ++k) l[k] += world[k];
}

template <int D>
struct SumBody {
  Vec<D> gravity;
  BodyStates<D> bodies;
  RTSIM_HD MotionSums operator()(Index i) const {
    MotionSums s;
    const double m = double(bodies.mass[i]);
    const Vec3d v = widen(bodies.velocity[i]), x = widen(bodies.position[i]);
    double twice = m * dot(v, v);
    const Vec3d l = m * cross(x, v);
    for (int k = 0; k < 3; ++k) s.momentum[k] = m * v[k], s.angular_momentum[k] = l[k];
    spin_of(bodies.orientation[i], bodies.angular_velocity[i], bodies.inertia[i],
            s.angular_momentum, twice);
    s.mass = m, s.kinetic = 0.5 * twice, s.potential = -m * dot(widen(gravity), x);
    return s;
  }
};
struct AddSums {
  RTSIM_HD MotionSums operator()(MotionSums a, const MotionSums& b) const {
    a.mass += b.mass, a.kinetic += b.kinetic, a.potential += b.potential;
    for (int k = 0; k < 3; ++k)
      a.momentum[k] += b.momentum[k], a.angular_momentum[k] += b.angular_momentum[k];
    return a;
  }
};

// Of all lanes. Devices have one.
RTSIM_HD Real greatest(Real a) { return a; }
RTSIM_HD Real total(Real a) { return a; }
[[maybe_unused]] Real greatest(const Lanes<Real>& a) {
  Real lanes[lane_count], most = -std::numeric_limits<Real>::infinity();
  a.store(lanes);
  for (const Real x : lanes) most = max(most, x);
  return most;
}
[[maybe_unused]] Real total(const Lanes<Real>& a) { return a.sum(); }

// Of a block.
template <int D>
struct FiguresOf {
  Span<const ContactBlock<D>> blocks;
  const Row4* solver_bodies;
  bool eights;
  RTSIM_HD ContactFigures operator()(Index at) const {
    const ContactBlock<D>& b = blocks[at];
    ContactFigures f;
#ifndef __CUDA_ARCH__
    if (eights) {
      add<Lanes<Real>>(b, 0, f);
      return f;
    }
#endif
    for (Index l = 0; l < lane_count; ++l) add<Real>(b, l, f);
    return f;
  }
  template <class T>
  RTSIM_HD void add(const ContactBlock<D>& b, Index l, ContactFigures& f) const {
    const ContactPair<D, T> pair(solver_bodies, b, l);
    const Separation<D, T> separation(pair, b, l);
    const T zero(Real(0)), one(Real(1));
    T deepest = zero, fastest = zero, points = zero;
    for (int k = 0; k < b.points; ++k) {
      const auto& p = b.point[k];
      const T presses = select_less(zero, lane<T>(p.impulse, l), one, zero);
      const VecT<T, D> ri = lane<T>(p.arm_i, l), rj = lane<T>(p.arm_j, l);
      const T s = separation(lane<T>(p.separation, l), ri, rj);
      const T v = dot(pair.normal, pair.j.velocity_at(rj) - pair.i.velocity_at(ri));
      points = points + presses;
      deepest = max(deepest, zero - presses * s), fastest = max(fastest, zero - presses * v);
    }
    f.penetration = std::fmax(f.penetration, double(greatest(deepest)));
    f.residual = std::fmax(f.residual, double(greatest(fastest)));
    f.points += double(total(points));
  }
};
struct Worst {
  RTSIM_HD ContactFigures operator()(const ContactFigures& a, const ContactFigures& b) const {
    return {std::fmax(a.penetration, b.penetration), std::fmax(a.residual, b.residual),
            a.points + b.points};
  }
};

template <int D>
struct SpinOf {
  BodyStates<D> bodies;
  RTSIM_HD Real operator()(Index i) const {
    const Angular<D> w = bodies.angular_velocity[i];
    return std::sqrt(dot(w, w));
  }
};

template <int D>
struct AstrayAt {
  BodyStates<D> bodies;
  Index n;
  RTSIM_HD Index operator()(Index i) const {
    const Real size = dot(bodies.velocity[i], bodies.velocity[i]) +
                      dot(bodies.angular_velocity[i], bodies.angular_velocity[i]) +
                      dot(bodies.position[i], bodies.position[i]);
    return std::isfinite(size) ? 0 : n - i;
  }
};

}  // namespace

template <int D>
MotionSums sums(const Exec& ex, const Vec<D>& gravity, const BodyStates<D>& bodies) {
  return reduce(ex, "rigid.sums", bodies.position.size, MotionSums{}, SumBody<D>{gravity, bodies},
                AddSums{});
}

template <int D>
ContactFigures contact_figures(const Exec& ex, Span<const ContactBlock<D>> blocks,
                               Span<const Row4> solver_bodies) {
  return reduce(ex, "rigid.figures", blocks.size, ContactFigures{},
                FiguresOf<D>{blocks, solver_bodies.data, ex.cpu_shaped()}, Worst{});
}

template <int D>
Real greatest_spin(const Exec& ex, const Rows& rows, const BodyStates<D>& bodies) {
  return reduce_bodies(ex, "rigid.spin", rows, Real(0), SpinOf<D>{bodies}, Max{});
}

template <int D>
Index first_astray(const Exec& ex, const Rows& rows, const BodyStates<D>& bodies) {
  const Index n = bodies.position.size;
  const Index from_end =
      reduce_bodies(ex, "rigid.watch", rows, Index(0), AstrayAt<D>{bodies, n}, Max{});
  return from_end > 0 ? n - from_end : -1;
}

namespace {

template <class T>
RTSIM_HD bool is_zero(const T& v) {
  return dot(v, v) == 0;
}

template <int D>
RTSIM_HD bool rests(const Sleepers<D>& s, Index i) {
  const BodyStates<D>& b = s.bodies;
  return is_zero(b.velocity[i]) && is_zero(b.angular_velocity[i]) &&
         (s.island[i] >= 0 || !(inverse_or_zero(b.mass[i]) > 0));
}

template <int D>
struct Resting {
  Sleepers<D> sleepers;
  Span<std::uint8_t> out;
  RTSIM_HD Index operator()(Index i) const {
    const bool before = out[i] != 0, now = rests(sleepers, i);
    out[i] = now;
    return before != now;
  }
};

template <int D>
struct Pushed {
  Sleepers<D> sleepers;
  Loads<D> loads;
  Span<std::uint8_t> called;
  RTSIM_HD Index operator()(Index i) const {
    // Loads that are no numbers call, too, so that they are seen at once.
    called[i] = !rests(sleepers, i) || !(dot(loads.force[i], loads.force[i]) == 0) ||
                !(dot(loads.torque[i], loads.torque[i]) == 0);
    return called[i] && sleepers.island[i] >= 0;
  }
};

template <int D>
struct CountStill {
  Stillness law;
  Sleepers<D> sleepers;
  Span<Real> still;
  RTSIM_HD void operator()(Index i) const {
    if (sleepers.island[i] >= 0) return;
    const BodyStates<D>& b = sleepers.bodies;
    const Real speed = norm(b.velocity[i]) + law.reach[law.shape[i]] * norm(b.angular_velocity[i]);
    still[i] = speed < law.speed ? still[i] + law.dt : Real(0);
  }
};

template <int D>
struct Ready {
  Sleepers<D> sleepers;
  Span<const Real> still;
  Real after;
  RTSIM_HD Index operator()(Index i) const {
    return sleepers.island[i] < 0 && still[i] >= after &&
           inverse_or_zero(sleepers.bodies.mass[i]) > 0;
  }
};

}  // namespace

template <int D>
Index find_resting(const Exec& ex, const Rows& rows, const Sleepers<D>& sleepers,
                   Span<std::uint8_t> out) {
  return reduce_bodies(ex, "rigid.resting", rows, Index(0), Resting<D>{sleepers, out}, Plus{});
}

template <int D>
Index find_pushed(const Exec& ex, const Sleepers<D>& sleepers, const Loads<D>& loads,
                  Span<std::uint8_t> called) {
  return reduce(ex, "rigid.pushed", sleepers.island.size, Index(0),
                Pushed<D>{sleepers, loads, called}, Plus{});
}

template <int D>
void count_still(const Exec& ex, const Rows& rows, const Stillness& law,
                 const Sleepers<D>& sleepers, Span<Real> still) {
  for_bodies(ex, "rigid.still", rows, CountStill<D>{law, sleepers, still});
}

template <int D>
Index count_ready(const Exec& ex, const Rows& rows, const Sleepers<D>& sleepers,
                  Span<const Real> still, Real after) {
  return reduce_bodies(ex, "rigid.ready", rows, Index(0), Ready<D>{sleepers, still, after}, Plus{});
}

#define RTSIM_INSTANTIATE(D)                                                                    \
  template MotionSums sums<D>(const Exec&, const Vec<D>&, const BodyStates<D>&);                \
  template ContactFigures contact_figures<D>(const Exec&, Span<const ContactBlock<D>>,          \
                                             Span<const Row4>);                                 \
  template Real greatest_spin<D>(const Exec&, const Rows&, const BodyStates<D>&);               \
  template Index first_astray<D>(const Exec&, const Rows&, const BodyStates<D>&);               \
  template Index find_resting<D>(const Exec&, const Rows&, const Sleepers<D>&,                  \
                                 Span<std::uint8_t>);                                           \
  template Index find_pushed<D>(const Exec&, const Sleepers<D>&, const Loads<D>&,               \
                                Span<std::uint8_t>);                                            \
  template void count_still<D>(const Exec&, const Rows&, const Stillness&, const Sleepers<D>&,  \
                               Span<Real>);                                                     \
  template Index count_ready<D>(const Exec&, const Rows&, const Sleepers<D>&, Span<const Real>, \
                                Real);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
