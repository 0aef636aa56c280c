#include "rigid/contacts/response.h"

#include "exec/parallel.h"
#include "rigid/motion/inverse_inertia.h"

namespace rtsim::rigid {

namespace {

template <int D>
RTSIM_HD Vec<D> place(const Row4& r) {
  const Real c[3] = {r.x, r.y, r.z};
  Vec<D> x;
  for (int a = 0; a < D; ++a) x[a] = c[a];
  return x;
}
template <int D>
RTSIM_HD Row4 row(const Vec<D>& v) {
  return {v[0], v[1], D == 3 ? v[D - 1] : Real(0), 0};
}

// What moves without being pushed does so by its own law.
template <int D>
RTSIM_HD bool is_movable(const Bodies<D>& b, Index o) {
  return inverse_or_zero(b.mass[o]) > 0;
}

template <int D>
struct PredictBody {
  Real h;
  Vec<D> gravity;
  Span<const Vec<D>> a;
  Span<const Angular<D>> b;
  Bodies<D> bodies;
  RTSIM_HD void operator()(Index o) const {
    if (!is_movable(bodies, o)) return;
    bodies.velocity[o] = bodies.velocity[o] + h * (Real(0.5) * gravity + a[o]);
    bodies.angular_velocity[o] = bodies.angular_velocity[o] + h * b[o];
  }
};

template <int D>
struct MoveOn {
  Real h;
  Vec<D> gravity;
  Bodies<D> bodies;
  RTSIM_HD void operator()(Index o) const {
    bodies.position[o] = bodies.position[o] + h * bodies.velocity[o];
    if (is_movable(bodies, o)) bodies.velocity[o] = bodies.velocity[o] + (Real(0.5) * h) * gravity;
  }
};

template <int D>
RTSIM_HD Vec<D> velocity_at(const Bodies<D>& bodies, Index o, const Vec<D>& x) {
  return bodies.velocity[o] + turning(bodies.angular_velocity[o], x - bodies.position[o]);
}

template <int D>
struct AimSample {
  BodyMobility<D> y;
  Span<const Vec<D>> position, velocity;
  Real lead, inv_h;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s];
    const Vec<D> x = place<D>(rows[k]), to = position[s] - lead * velocity[s];
    motion[k] = row<D>(inv_h * (to - x) + velocity_at(y.bodies, y.owner[s], to));
  }
};

template <int D>
struct CarrySample {
  BodyMobility<D> y;
  Span<const Row4> rows, motion;
  Real h, lead;
  Span<Vec<D>> position, velocity;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s];
    const Vec<D> x = place<D>(rows[k]) + h * place<D>(motion[k]);
    velocity[s] = velocity_at(y.bodies, y.owner[s], x);
    position[s] = x + lead * velocity[s];
  }
};

template <int D>
struct AdvanceSample {
  Real t;
  Span<const Vec<D>> velocity;
  Span<Vec<D>> position;
  RTSIM_HD void operator()(Index s) const { position[s] = position[s] + t * velocity[s]; }
};

template <int D>
struct SumBlock {
  BodyMobility<D> y;
  Span<const Row4> push, rows;
  Span<Twist<D, double>> sums;
  RTSIM_HD void operator()(Index k) const {
    Twist<D, double> sum{};
    const Index first = y.blocks[k];
    const Vec<D> centre = y.bodies.position[y.owner[first]];
    for (Index s = first; s < y.blocks[k + 1]; ++s) {
      const Vec<D> f = place<D>(push[s]), arm = place<D>(rows[y.places[s]]) - centre;
      const Angular<D> t = moment(arm, f);
      for (int a = 0; a < D; ++a) sum.velocity[a] += double(f[a]);
      for (int a = 0; a < (D == 2 ? 1 : 3); ++a) sum.angular[a] += double(t[a]);
    }
    sums[k] = sum;
  }
};

template <int D>
struct GainOfBody {
  BodyMobility<D> y;
  Real h;
  Span<const Twist<D, double>> sums;
  Span<Twist<D, Real>> gained;
  RTSIM_HD void operator()(Index o) const {
    constexpr int turns = D == 2 ? 1 : 3;
    VecT<double, D> force;
    VecT<double, turns> torque;
    for (Index k = y.body_blocks[o]; k < y.body_blocks[o + 1]; ++k)
      force = force + sums[k].velocity, torque = torque + sums[k].angular;
    Vec<D> f;
    Angular<D> t;
    for (int a = 0; a < D; ++a) f[a] = Real(force[a]);
    for (int a = 0; a < turns; ++a) t[a] = Real(torque[a]);
    const Bodies<D>& b = y.bodies;
    const bool free = is_movable(b, o);
    Twist<D, Real> gain{};
    if (free) gain.velocity = (h * inverse_or_zero(b.mass[o])) * f;
    if (free) gain.angular = h * inverse_inertia(b.orientation[o], b.inertia[o])(t);
    b.velocity[o] = b.velocity[o] + gain.velocity;
    b.angular_velocity[o] = b.angular_velocity[o] + gain.angular;
    gained[o] = gain;
  }
};

template <int D>
struct PassOnGain {
  BodyMobility<D> y;
  Span<const Row4> rows;
  Span<const Twist<D, Real>> gained;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s], o = y.owner[s];
    const Vec<D> arm = place<D>(rows[k]) - y.bodies.position[o];
    motion[k] = row<D>(place<D>(motion[k]) + gained[o].velocity + turning(gained[o].angular, arm));
  }
};

template <int D>
struct MobilityBound {
  BodyMobility<D> y;
  Span<const Vec<D>> local;
  Real m;
  Span<const Row4> pull;
  Span<Real> mobility_bound;
  RTSIM_HD void operator()(Index o) const {
    double sum = 0, moments = 0;
    for (Index s = y.starts[o]; s < y.starts[o + 1]; ++s) {
      sum += double(pull[s].x);
      moments += double(pull[s].x) * double(root(dot(local[s], local[s])));
    }
    const bool free = is_movable(y.bodies, o);
    Real turns = 0;
    for (int a = 0; a < (D == 2 ? 1 : 3); ++a)
      turns = max(turns, inverse_or_zero(y.bodies.inertia[o][a]));
    const Real shifted = Real(sum) * inverse_or_zero(y.bodies.mass[o]),
               turned = Real(moments) * turns;
    for (Index s = y.starts[o]; s < y.starts[o + 1]; ++s)
      mobility_bound[y.places[s]] =
          free ? m * (shifted + root(dot(local[s], local[s])) * turned) : Real(0);
  }
};

}  // namespace

template <int D>
void predict_bodies(const Exec& ex, Real h, Vec<D> gravity, Span<const Vec<D>> a,
                    Span<const Angular<D>> b, const Bodies<D>& bodies) {
  parallel_for(ex, "response.foresee", bodies.position.size,
               PredictBody<D>{h, gravity, a, b, bodies});
}

template <int D>
void move_on(const Exec& ex, Real h, Vec<D> gravity, const Bodies<D>& bodies) {
  parallel_for(ex, "response.move", bodies.position.size, MoveOn<D>{h, gravity, bodies});
}

template <int D>
void aim_samples(const Exec& ex, const BodyMobility<D>& y, Span<const Vec<D>> position,
                 Span<const Vec<D>> velocity, Real lead, Real inv_h, Span<const Row4> rows,
                 Span<Row4> motion) {
  parallel_for(ex, "response.aim", y.owner.size,
               AimSample<D>{y, position, velocity, lead, inv_h, rows, motion});
}

template <int D>
void carry_samples(const Exec& ex, const BodyMobility<D>& y, Span<const Row4> rows,
                   Span<const Row4> motion, Real h, Real lead, Span<Vec<D>> position,
                   Span<Vec<D>> velocity) {
  parallel_for(ex, "response.carry", y.owner.size,
               CarrySample<D>{y, rows, motion, h, lead, position, velocity});
}

template <int D>
void advance_samples(const Exec& ex, Real t, Span<const Vec<D>> velocity, Span<Vec<D>> position) {
  parallel_for(ex, "response.advance", position.size, AdvanceSample<D>{t, velocity, position});
}

template <int D>
void apply_impulses(const Exec& ex, const BodyMobility<D>& y, Real h, Span<const Row4> push,
                    Span<const Row4> rows, Span<Twist<D, double>> sums, Span<Twist<D, Real>> gained,
                    Span<Row4> motion) {
  parallel_for(ex, "response.sum", sums.size, SumBlock<D>{y, push, rows, sums});
  parallel_for(ex, "response.gain", gained.size, GainOfBody<D>{y, h, sums, gained});
  parallel_for(ex, "response.pass_on", y.owner.size, PassOnGain<D>{y, rows, gained, motion});
}

template <int D>
void find_mobility_bound(const Exec& ex, const BodyMobility<D>& y, Span<const Vec<D>> local, Real m,
                         Span<const Row4> pull, Span<Real> mobility_bound) {
  parallel_for(ex, "response.yield", y.bodies.mass.size,
               MobilityBound<D>{y, local, m, pull, mobility_bound});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void predict_bodies<D>(const Exec&, Real, Vec<D>, Span<const Vec<D>>,                  \
                                  Span<const Angular<D>>, const Bodies<D>&);                      \
  template void move_on<D>(const Exec&, Real, Vec<D>, const Bodies<D>&);                          \
  template void aim_samples<D>(const Exec&, const BodyMobility<D>&, Span<const Vec<D>>,           \
                               Span<const Vec<D>>, Real, Real, Span<const Row4>, Span<Row4>);     \
  template void carry_samples<D>(const Exec&, const BodyMobility<D>&, Span<const Row4>,           \
                                 Span<const Row4>, Real, Real, Span<Vec<D>>, Span<Vec<D>>);       \
  template void advance_samples<D>(const Exec&, Real, Span<const Vec<D>>, Span<Vec<D>>);          \
  template void apply_impulses<D>(const Exec&, const BodyMobility<D>&, Real, Span<const Row4>,    \
                                  Span<const Row4>, Span<Twist<D, double>>, Span<Twist<D, Real>>, \
                                  Span<Row4>);                                                    \
  template void find_mobility_bound<D>(const Exec&, const BodyMobility<D>&, Span<const Vec<D>>,   \
                                       Real, Span<const Row4>, Span<Real>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::rigid
