#include "skin/shares.h"

#include "exec/parallel.h"

namespace rtsim::skin {

namespace {

RTSIM_HD Vec<3> vec(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD Row4 row(const Vec<3>& v) { return {v[0], v[1], v[2], 0}; }

RTSIM_HD Vec<3> at_sample(const Binding& b, Span<const Vec<3>> of_points) {
  Vec<3> v;
  for (int k = 0; k < 4; ++k) v = v + b.weight[k] * of_points[b.at[k]];
  return v;
}
RTSIM_HD Vec<3> velocity_of(const PointMobility& y, Index s) {
  return at_sample(y.shares.bindings[s], {y.velocity.data, y.velocity.size});
}
RTSIM_HD Real weight_of(const Shares& s, Index slot) {
  return s.bindings[slot / 4].weight[slot % 4];
}

struct Kick {
  Real h;
  Span<const VecT<double, 3>> force;
  Span<const Real> inverse_mass;
  Span<Vec<3>> velocity, load;
  RTSIM_HD void operator()(Index i) const {
    if (load.size > 0 && !(inverse_mass[i] > 0))
      for (int a = 0; a < 3; ++a) load[i][a] = Real(double(load[i][a]) + double(h) * force[i][a]);
    const double by = double(h) * double(inverse_mass[i]);
    for (int a = 0; a < 3; ++a) velocity[i][a] = Real(double(velocity[i][a]) + by * force[i][a]);
  }
};

struct PredictPoint {
  Real h;
  Vec<3> gravity;
  Span<const Vec<3>> a;
  PointMobility y;
  RTSIM_HD void operator()(Index i) const {
    if (!(y.inverse_mass[i] > 0)) return;
    y.velocity[i] = y.velocity[i] + h * (Real(0.5) * gravity + a[i]);
  }
};

struct MovePoint {
  Real h;
  Vec<3> gravity;
  PointMobility y;
  RTSIM_HD void operator()(Index i) const {
    if (y.inverse_mass[i] > 0) y.velocity[i] = y.velocity[i] + (Real(0.5) * h) * gravity;
  }
};

struct AimSample {
  PointMobility y;
  Span<const Vec<3>> position, velocity;
  Real lead, inv_h;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s];
    const Vec<3> to = position[s] - lead * velocity[s];
    motion[k] = row(inv_h * (to - vec(rows[k])) + velocity_of(y, s));
  }
};

struct CarrySample {
  PointMobility y;
  Span<const Row4> rows, motion;
  Real h, lead;
  Span<Vec<3>> position, velocity;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s];
    velocity[s] = velocity_of(y, s);
    position[s] = vec(rows[k]) + h * vec(motion[k]) + lead * velocity[s];
  }
};

// h F_i / m_i, `row_of` the row of a sample among the forces.
template <class RowOf>
RTSIM_HD Vec<3> gain_of(const PointMobility& y, Index i, Real h, Span<const Row4> forces,
                        const RowOf& row_of) {
  VecT<double, 3> force;
  for (Index e = y.shares.first[i]; e < y.shares.first[i + 1]; ++e) {
    const Index slot = y.shares.slots[e];
    const double w = double(weight_of(y.shares, slot));
    const Row4& f = forces[row_of(slot / 4)];
    force[0] += w * double(f.x), force[1] += w * double(f.y), force[2] += w * double(f.z);
  }
  const double by = double(h) * double(y.inverse_mass[i]);
  Vec<3> gain;
  for (int a = 0; a < 3; ++a) gain[a] = Real(by * force[a]);
  return gain;
}

struct GainOfPoint {
  PointMobility y;
  Real h;
  Span<const Row4> push;
  Span<Vec<3>> gained;
  RTSIM_HD void operator()(Index i) const {
    gained[i] = gain_of(y, i, h, push, [](Index s) { return s; });
    y.velocity[i] = y.velocity[i] + gained[i];
  }
};

struct PushPoint {
  PointMobility y;
  Real h;
  Span<const Index> places;
  Span<const Row4> force;
  RTSIM_HD void operator()(Index i) const {
    const Span<const Index> rows = places;
    y.velocity[i] = y.velocity[i] + gain_of(y, i, h, force, [rows](Index s) { return rows[s]; });
  }
};

struct LetFall {
  Real h;
  Vec<3> gravity;
  Span<const Vec<3>> a;
  PointMobility y;
  RTSIM_HD void operator()(Index i) const {
    if (y.inverse_mass[i] > 0) y.velocity[i] = y.velocity[i] + h * (gravity + a[i]);
  }
};

struct DriftSample {
  PointMobility y;
  Real lead, way;
  Span<Vec<3>> position, velocity;
  RTSIM_HD void operator()(Index s) const {
    const Vec<3> now = position[s] - lead * velocity[s];
    velocity[s] = velocity_of(y, s);
    position[s] = now + way * velocity[s];
  }
};

struct PassOnGain {
  PointMobility y;
  Span<const Vec<3>> gained;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index s) const {
    const Index k = y.places[s];
    motion[k] = row(vec(motion[k]) + at_sample(y.shares.bindings[s], gained));
  }
};

struct PullOfPoint {
  PointMobility y;
  Span<const Row4> pull;
  Span<Real> pulled;
  RTSIM_HD void operator()(Index i) const {
    double sum = 0;
    for (Index e = y.shares.first[i]; e < y.shares.first[i + 1]; ++e) {
      const Index slot = y.shares.slots[e];
      sum += std::abs(double(weight_of(y.shares, slot))) * double(pull[slot / 4].x);
    }
    pulled[i] = Real(sum * double(y.inverse_mass[i]));
  }
};

struct MobilityBound {
  PointMobility y;
  Real m;
  Span<const Real> pulled;
  Span<Real> mobility_bound;
  RTSIM_HD void operator()(Index s) const {
    const Binding& b = y.shares.bindings[s];
    Real sum = 0;
    for (int k = 0; k < 4; ++k) sum += std::abs(b.weight[k]) * pulled[b.at[k]];
    mobility_bound[y.places[s]] = m * sum;
  }
};

}  // namespace

void kick(const Exec& ex, Real h, Span<const VecT<double, 3>> force, Span<const Real> inverse_mass,
          Span<Vec<3>> velocity, Span<Vec<3>> load) {
  parallel_for(ex, "shares.kick", velocity.size, Kick{h, force, inverse_mass, velocity, load});
}

void predict_points(const Exec& ex, Real h, const Vec<3>& gravity, Span<const Vec<3>> a,
                    const PointMobility& y) {
  parallel_for(ex, "shares.predict", y.velocity.size, PredictPoint{h, gravity, a, y});
}

void move_on(const Exec& ex, Real h, const Vec<3>& gravity, const PointMobility& y) {
  parallel_for(ex, "shares.move", y.velocity.size, MovePoint{h, gravity, y});
}

void aim_samples(const Exec& ex, const PointMobility& y, Span<const Vec<3>> position,
                 Span<const Vec<3>> velocity, Real lead, Real inv_h, Span<const Row4> rows,
                 Span<Row4> motion) {
  parallel_for(ex, "shares.aim", position.size,
               AimSample{y, position, velocity, lead, inv_h, rows, motion});
}

void carry_samples(const Exec& ex, const PointMobility& y, Span<const Row4> rows,
                   Span<const Row4> motion, Real h, Real lead, Span<Vec<3>> position,
                   Span<Vec<3>> velocity) {
  parallel_for(ex, "shares.carry", position.size,
               CarrySample{y, rows, motion, h, lead, position, velocity});
}

void push_points(const Exec& ex, const PointMobility& y, Real h, Span<const Index> places,
                 Span<const Row4> force) {
  parallel_for(ex, "shares.push", y.velocity.size, PushPoint{y, h, places, force});
}

void let_fall(const Exec& ex, Real h, const Vec<3>& gravity, Span<const Vec<3>> a,
              const PointMobility& y) {
  parallel_for(ex, "shares.fall", y.velocity.size, LetFall{h, gravity, a, y});
}

void drift_samples(const Exec& ex, const PointMobility& y, Real lead, Real way,
                   Span<Vec<3>> position, Span<Vec<3>> velocity) {
  parallel_for(ex, "shares.drift", position.size, DriftSample{y, lead, way, position, velocity});
}

void apply_impulses(const Exec& ex, const PointMobility& y, Real h, Span<const Row4> push,
                    Span<Vec<3>> gained, Span<Row4> motion) {
  parallel_for(ex, "shares.gain", gained.size, GainOfPoint{y, h, push, gained});
  parallel_for(ex, "shares.pass_on", push.size, PassOnGain{y, {gained.data, gained.size}, motion});
}

void find_mobility_bound(const Exec& ex, const PointMobility& y, Real m, Span<const Row4> pull,
                         Span<Real> pulled, Span<Real> mobility_bound) {
  parallel_for(ex, "shares.pull", pulled.size, PullOfPoint{y, pull, pulled});
  parallel_for(ex, "shares.yield", pull.size,
               MobilityBound{y, m, {pulled.data, pulled.size}, mobility_bound});
}

}  // namespace rtsim::skin
