#include "wcsph/wcsph.h"

#include "exec/parallel.h"

namespace rtsim::wcsph {

namespace {

struct DensityOfRow {
  Law law;
  CellRows fluid, walls;
  Span<Real> density;
  Span<Index> neighbours;

  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    const Real support = law.kernel.support, limit = support * support;
    Index count = 0;
    Real sum = 1, wall_sum = 0;  // W(0) / k = 1: the particle itself
    for_runs(fluid, at, at, support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Real r2 = distance2(p, fluid.rows[j]);
        if (r2 >= limit || j == i) continue;
        sum += law.kernel.shape(r2), ++count;
      }
    });
    if (walls.rows.size > 0)
      for_runs(walls, at, at, support, [&](Index begin, Index end) {
        for (Index b = begin; b < end; ++b) {
          const Real r2 = distance2(p, walls.rows[b]);
          if (r2 >= limit) continue;
          wall_sum += walls.rows[b].w * law.kernel.shape(r2), ++count;
        }
      });
    density[i] = law.kernel.scale * (law.mass * sum + law.rest_density * wall_sum);
    neighbours[i] = count;
  }

  RTSIM_HD static Real distance2(const Row4& a, const Row4& b) {
    const Real x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return fma(z, z, fma(y, y, x * x));
  }
};

template <int D>
struct ForceOnRow {
  Law law;
  Fluid fluid;
  Walls walls;
  Vec<D> gravity;
  Span<Vec<D>> acceleration;

  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.cells.rows[i], v = fluid.motion[i];
    const Real at[3] = {p.x, p.y, p.z};
    const Real inv_rest2 = 1 / (law.rest_density * law.rest_density);
    const Real wall_pressures = p.w + p.w * v.w * v.w * inv_rest2;
    Real a[3] = {0, 0, 0};
    for_runs(fluid.cells, at, at, law.kernel.support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        if (j != i) {
          const Row4 q = fluid.cells.rows[j], u = fluid.motion[j];
          add_pair<false>(a, p, v, q, u, p.w + q.w, v.w + u.w, law.mass);
        }
    });
    if (walls.cells.rows.size > 0)
      for_runs(walls.cells, at, at, law.kernel.support, [&](Index begin, Index end) {
        for (Index b = begin; b < end; ++b) {
          const Row4 q = walls.cells.rows[b];
          add_pair<true>(a, p, v, q, walls.motion[b], wall_pressures, v.w + law.rest_density,
                         law.rest_density * q.w);
        }
      });
    for (int k = 0; k < D; ++k) acceleration[i][k] = a[k] + gravity[k];
  }

  template <bool wall>
  RTSIM_HD void add_pair(Real* a, const Row4& p, const Row4& v, const Row4& q, const Row4& u,
                         Real pressures, Real densities, Real mass) const {
    const Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    const Real r2 = fma(z, z, fma(y, y, x * x));
    if (r2 >= law.kernel.support * law.kernel.support) return;
    const Real approach = fma(z, v.z - u.z, fma(y, v.y - u.y, x * (v.x - u.x)));
    Real c = pair_scale<Real>(law, r2, approach, pressures, densities, mass);
    if constexpr (wall) c += contact_scale<Real>(law, r2);
    a[0] = fma(c, x, a[0]), a[1] = fma(c, y, a[1]), a[2] = fma(c, z, a[2]);
  }
};

template <int D>
struct PressureOfRow {
  Law law;
  Span<const Real> density;
  Span<const Vec<D>> velocity;
  Span<Real> pressure;
  Span<Row4> position_rows, motion_rows;

  RTSIM_HD void operator()(Index i) const {
    if (i >= density.size) {  // the dummies: finite, and without effect
      motion_rows[i] = {0, 0, 0, 1};
      return;
    }
    const Real rho = density[i];
    const Real p = law.tait.pressure(rho);
    const Vec<D>& v = velocity[i];
    pressure[i] = p;
    position_rows[i].w = p / (rho * rho);
    motion_rows[i] = {v[0], v[1], D == 3 ? v[D - 1] : Real(0), rho};
  }
};

template <int D>
struct KickDrift {
  Real dt;
  Span<const Vec<D>> acceleration;
  Span<Vec<D>> velocity, position;
  RTSIM_HD void operator()(Index i) const {
    velocity[i] = velocity[i] + dt * acceleration[i];
    position[i] = position[i] + dt * velocity[i];
  }
};

template <int D>
struct ExtremesOfRow {
  Real limit2;
  Span<const Vec<D>> velocity, acceleration;
  RTSIM_HD Extremes operator()(Index i) const {
    const Real v2 = dot(velocity[i], velocity[i]), a2 = dot(acceleration[i], acceleration[i]);
    return {v2, a2, v2 <= limit2 ? -1 : i};  // NaN is not <= anything
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
  Law law;
  State<D> s;
  Vec<D> gravity;
  RTSIM_HD Sums operator()(Index i) const {
    const double m = law.mass;
    Sums r;
    double v2 = 0, gx = 0;
    for (int k = 0; k < D; ++k) {
      const double v = s.velocity[i][k];
      v2 += v * v, gx += double(gravity[k]) * s.position[i][k];
      r.momentum[k] = m * v;
    }
    const double over = s.density[i] * double(law.tait.inv_rest_density) - 1;
    r.kinetic = 0.5 * m * v2, r.potential = -m * gx;
    r.internal = m * law.tait.energy(s.density[i]);
    r.compression = r.max_compression = over > 0 ? over : 0;
    r.front = s.position[i][0];
    r.max_neighbours = s.neighbours[i];
    return r;
  }
};
struct AddSums {
  RTSIM_HD Sums operator()(const Sums& a, const Sums& b) const {
    Sums r;
    r.kinetic = a.kinetic + b.kinetic, r.potential = a.potential + b.potential;
    r.internal = a.internal + b.internal;
    for (int k = 0; k < 3; ++k) r.momentum[k] = a.momentum[k] + b.momentum[k];
    r.compression = a.compression + b.compression;
    r.max_compression =
        a.max_compression > b.max_compression ? a.max_compression : b.max_compression;
    r.front = a.front > b.front ? a.front : b.front;
    r.max_neighbours = a.max_neighbours > b.max_neighbours ? a.max_neighbours : b.max_neighbours;
    return r;
  }
};

}  // namespace

void density_by_cells(const Exec& ex, const Law& law, const CellRows& fluid, const CellRows& walls,
                      Span<Real> density, Span<Index> neighbours) {
  parallel_for(ex, "wcsph.density", density.size,
               DensityOfRow{law, fluid, walls, density, neighbours});
}

void density(const Exec& ex, const Law& law, const CellRows& fluid, const CellRows& walls,
             neighbours::NeighbourLists& lists, Span<Real> density, Span<Index> neighbours) {
  if (ex.backend() == Backend::cpu)
    density_by_lanes(ex, law, fluid, walls, lists, density, neighbours);
  else
    density_by_cells(ex, law, fluid, walls, density, neighbours);
}

template <int D>
void pressure(const Exec& ex, const Law& law, Span<const Real> density, Span<const Vec<D>> velocity,
              Span<Real> pressure, Span<Row4> position_rows, Span<Row4> motion_rows) {
  parallel_for(ex, "wcsph.pressure", density.size + lane_count,
               PressureOfRow<D>{law, density, velocity, pressure, position_rows, motion_rows});
}

template <int D>
void force_by_cells(const Exec& ex, const Law& law, const Fluid& fluid, const Walls& walls,
                    Vec<D> gravity, Span<Vec<D>> acceleration) {
  parallel_for(ex, "wcsph.force", acceleration.size,
               ForceOnRow<D>{law, fluid, walls, gravity, acceleration});
}

template <int D>
void force(const Exec& ex, const Law& law, const Fluid& fluid, const Walls& walls,
           const neighbours::NeighbourLists& lists, Vec<D> gravity, Span<Vec<D>> acceleration) {
  if (ex.backend() == Backend::cpu)
    force_by_lanes(ex, law, fluid, walls, lists, gravity, acceleration);
  else
    force_by_cells(ex, law, fluid, walls, gravity, acceleration);
}

template <int D>
void kick_drift(const Exec& ex, Real dt, Span<const Vec<D>> acceleration, Span<Vec<D>> velocity,
                Span<Vec<D>> position) {
  parallel_for(ex, "wcsph.kick_drift", position.size,
               KickDrift<D>{dt, acceleration, velocity, position});
}

template <int D>
Extremes extremes(const Exec& ex, Real speed_limit, Span<const Vec<D>> velocity,
                  Span<const Vec<D>> acceleration) {
  return reduce(ex, "wcsph.extremes", velocity.size, Extremes{},
                ExtremesOfRow<D>{speed_limit * speed_limit, velocity, acceleration}, WorstOf{});
}

template <int D>
Sums sums(const Exec& ex, const Law& law, const State<D>& state, Vec<D> gravity) {
  return reduce(ex, "wcsph.sums", state.position.size, Sums{}, SumsOfRow<D>{law, state, gravity},
                AddSums{});
}

#define RTSIM_INSTANTIATE(D)                                                                      \
  template void pressure<D>(const Exec&, const Law&, Span<const Real>, Span<const Vec<D>>,        \
                            Span<Real>, Span<Row4>, Span<Row4>);                                  \
  template void force_by_cells<D>(const Exec&, const Law&, const Fluid&, const Walls&, Vec<D>,    \
                                  Span<Vec<D>>);                                                  \
  template void force<D>(const Exec&, const Law&, const Fluid&, const Walls&,                     \
                         const neighbours::NeighbourLists&, Vec<D>, Span<Vec<D>>);                \
  template void kick_drift<D>(const Exec&, Real, Span<const Vec<D>>, Span<Vec<D>>, Span<Vec<D>>); \
  template Extremes extremes<D>(const Exec&, Real, Span<const Vec<D>>, Span<const Vec<D>>);       \
  template Sums sums<D>(const Exec&, const Law&, const State<D>&, Vec<D>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::wcsph
