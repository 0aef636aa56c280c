#include "sph/motion.h"

#include "exec/parallel.h"

namespace rtsim::sph {

namespace {

template <int D>
struct PackMotion {
  Span<const Vec<D>> velocity;
  Span<const Real> w;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index i) const {
    if (i >= velocity.size) {  // the dummies: finite, and without effect
      motion[i] = {0, 0, 0, 1};
      return;
    }
    const Vec<D>& v = velocity[i];
    motion[i] = {v[0], v[1], D == 3 ? v[D - 1] : Real(0), w.size > 0 ? w[i] : Real(0)};
  }
};

template <int D>
struct UnpackVelocity {
  Span<const Row4> motion;
  Span<Vec<D>> velocity;
  RTSIM_HD void operator()(Index i) const {
    const Row4 m = motion[i];
    const Real v[3] = {m.x, m.y, m.z};
    for (int k = 0; k < D; ++k) velocity[i][k] = v[k];
  }
};

struct PressureOf {
  Span<const Real> k, more, density;
  Span<Real> pressure;
  RTSIM_HD void operator()(Index i) const {
    const Real both = k[i] + (more.size > 0 ? more[i] : Real(0));
    pressure[i] = both * density[i] * density[i];
  }
};

template <int D>
struct Drift {
  Real dt;
  Span<const Row4> motion;
  Span<Vec<D>> velocity, position;
  RTSIM_HD void operator()(Index i) const {
    const Row4 m = motion[i];
    const Real v[3] = {m.x, m.y, m.z};
    for (int k = 0; k < D; ++k) velocity[i][k] = v[k], position[i][k] += dt * v[k];
  }
};

template <int D>
struct Kick {
  Real dt;
  Span<const Vec<D>> velocity, acceleration;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index i) const {
    const Vec<D> v = velocity[i] + dt * acceleration[i];
    motion[i] = {v[0], v[1], D == 3 ? v[D - 1] : Real(0), motion[i].w};
  }
};

template <int D>
struct ExtremesOfRow {
  Real limit2;
  Span<const Vec<D>> velocity, acceleration;
  RTSIM_HD Extremes operator()(Index i) const {
    const Real v2 = dot(velocity[i], velocity[i]);
    const Real a2 = acceleration.size > 0 ? dot(acceleration[i], acceleration[i]) : Real(0);
    const bool good = v2 <= limit2 && a2 - a2 == 0;  // neither is true of NaN
    return {v2, a2, good ? -1 : i};
  }
};
struct WorstOf {
  RTSIM_HD Extremes operator()(const Extremes& a, const Extremes& b) const {
    Extremes r;
    r.speed2 = a.speed2 > b.speed2 ? a.speed2 : b.speed2;
    r.acceleration2 = a.acceleration2 > b.acceleration2 ? a.acceleration2 : b.acceleration2;
    const bool take_b = a.astray < 0 || (b.astray >= 0 && b.astray < a.astray);
    r.astray = take_b ? b.astray : a.astray;
    return r;
  }
};

template <int D>
struct SumsOfRow {
  State<D> s;
  double inv_rest_density;
  Vec<D> gravity;
  RTSIM_HD Sums operator()(Index i) const {
    Sums r;
    double v2 = 0, gx = 0;
    for (int k = 0; k < D; ++k) {
      const double v = s.velocity[i][k];
      v2 += v * v, gx += double(gravity[k]) * s.position[i][k];
      r.momentum[k] = v;
      r.place[k] = s.position[i][k], r.square[k] = r.place[k] * r.place[k];
    }
    const Vec3d angular_momentum = cross(widen(s.position[i]), widen(s.velocity[i]));
    for (int k = 0; k < 3; ++k) r.angular_momentum[k] = angular_momentum[k];
    const double over = s.density[i] * inv_rest_density - 1;
    r.kinetic = 0.5 * v2, r.potential = -gx;
    r.compression = r.max_compression = over > 0 ? over : 0;
    r.front = s.position[i][0];
    // Rows that came after the fluid was looked at have no neighbours yet.
    r.max_neighbours = i < s.neighbours.size ? s.neighbours[i] : 0;
    r.pairs = r.max_neighbours;
    return r;
  }
};
struct AddSums {
  RTSIM_HD Sums operator()(const Sums& a, const Sums& b) const {
    Sums r;
    r.kinetic = a.kinetic + b.kinetic, r.potential = a.potential + b.potential;
    for (int k = 0; k < 3; ++k) {
      r.momentum[k] = a.momentum[k] + b.momentum[k],
      r.angular_momentum[k] = a.angular_momentum[k] + b.angular_momentum[k];
      r.place[k] = a.place[k] + b.place[k], r.square[k] = a.square[k] + b.square[k];
    }
    r.compression = a.compression + b.compression;
    r.max_compression =
        a.max_compression > b.max_compression ? a.max_compression : b.max_compression;
    r.front = a.front > b.front ? a.front : b.front;
    r.pairs = a.pairs + b.pairs;
    r.max_neighbours = a.max_neighbours > b.max_neighbours ? a.max_neighbours : b.max_neighbours;
    return r;
  }
};

}  // namespace

template <int D>
void pack_motion(const Exec& ex, Span<const Vec<D>> velocity, Span<const Real> w,
                 Span<Row4> motion) {
  parallel_for(ex, "sph.pack_motion", velocity.size + lane_count,
               PackMotion<D>{velocity, w, motion});
}

template <int D>
void unpack_velocity(const Exec& ex, Span<const Row4> motion, Span<Vec<D>> velocity) {
  parallel_for(ex, "sph.unpack", velocity.size, UnpackVelocity<D>{motion, velocity});
}

void pressure_of(const Exec& ex, Span<const Real> k, Span<const Real> more,
                 Span<const Real> density, Span<Real> pressure) {
  parallel_for(ex, "sph.pressure", k.size, PressureOf{k, more, density, pressure});
}

template <int D>
void drift(const Exec& ex, Real dt, Span<const Row4> motion, Span<Vec<D>> velocity,
           Span<Vec<D>> position) {
  parallel_for(ex, "sph.drift", position.size, Drift<D>{dt, motion, velocity, position});
}

template <int D>
void kick(const Exec& ex, Real dt, Span<const Vec<D>> velocity, Span<const Vec<D>> acceleration,
          Span<Row4> motion) {
  parallel_for(ex, "sph.kick", velocity.size, Kick<D>{dt, velocity, acceleration, motion});
}

template <int D>
Extremes extremes(const Exec& ex, Real speed_limit, Span<const Vec<D>> velocity,
                  Span<const Vec<D>> acceleration) {
  return reduce(ex, "sph.extremes", velocity.size, Extremes{},
                ExtremesOfRow<D>{speed_limit * speed_limit, velocity, acceleration}, WorstOf{});
}

template <int D>
Sums sums(const Exec& ex, const State<D>& state, double rest_density, Vec<D> gravity) {
  return reduce(ex, "sph.sums", state.position.size, Sums{},
                SumsOfRow<D>{state, 1 / rest_density, gravity}, AddSums{});
}

#define RTSIM_INSTANTIATE(D)                                                                    \
  template void pack_motion<D>(const Exec&, Span<const Vec<D>>, Span<const Real>, Span<Row4>);  \
  template void unpack_velocity<D>(const Exec&, Span<const Row4>, Span<Vec<D>>);                \
  template void drift<D>(const Exec&, Real, Span<const Row4>, Span<Vec<D>>, Span<Vec<D>>);      \
  template void kick<D>(const Exec&, Real, Span<const Vec<D>>, Span<const Vec<D>>, Span<Row4>); \
  template Extremes extremes<D>(const Exec&, Real, Span<const Vec<D>>, Span<const Vec<D>>);     \
  template Sums sums<D>(const Exec&, const State<D>&, double, Vec<D>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
