#include "sph/walls.h"

#include "exec/parallel.h"
#include "sph/swept_contact.h"

namespace rtsim::sph {

namespace {

template <int D>
struct PackWall {
  Span<const Index> order;
  Span<const Vec<D>> position, velocity;
  Real ahead;
  Span<Row4> rows, motion;
  RTSIM_HD void operator()(Index k) const {
    if (k >= order.size) {
      rows[k] = {Real(1e6), Real(1e6), Real(1e6), 0}, motion[k] = {0, 0, 0, 0};
      return;
    }
    const Vec<D> v = velocity[order[k]];
    const Vec<D> x = position[order[k]] - ahead * v;
    rows[k] = {x[0], x[1], D == 3 ? x[D - 1] : Real(0), 0};
    motion[k] = {v[0], v[1], D == 3 ? v[D - 1] : Real(0), 0};
  }
};

template <int D>
struct AimWall {
  Span<const Index> order;
  Span<const Vec<D>> position, velocity;
  Real ahead, inv_dt;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index k) const {
    const Vec<D> x = position[order[k]] - ahead * velocity[order[k]];
    const Row4 p = rows[k];
    motion[k] = {inv_dt * (x[0] - p.x), inv_dt * (x[1] - p.y),
                 D == 3 ? inv_dt * (x[D - 1] - p.z) : Real(0), 0};
  }
};

struct WallVolume {
  CubicSpline kernel;
  Real gamma;
  CellRows samples;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const {
    const Row4 p = samples.rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    Real sum = 0;
    for_runs(samples, at, at, kernel.support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Row4 q = samples.rows[j];
        const Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
        sum += kernel.shape(x * x + y * y + z * z);
      }
    });
    rows[i].w = gamma / (kernel.scale * sum);
  }
};

struct UnpackVolume {
  Span<const Index> order;
  Span<const Row4> rows;
  Span<Real> volume;
  RTSIM_HD void operator()(Index k) const { volume[order[k]] = rows[k].w; }
};

template <int D>
struct UnpackForce {
  Span<const Index> order;
  Span<const Row4> rows;
  Real scale;
  Span<Vec<D>> force;
  RTSIM_HD void operator()(Index k) const {
    const Real f[3] = {rows[k].x, rows[k].y, rows[k].z};
    for (int a = 0; a < D; ++a) force[order[k]][a] = scale * f[a];
  }
};

struct KeepInside {
  Balls balls;
  Real least2;  // [m^2/s^2]
  Span<const Row4> rows;
  Span<Row4> motion;
  Span<Index> met;
  Span<Row4> lost;
  RTSIM_HD void operator()(Index i) const {
    if (met.size > 0) met[i] = -1;
    const Vec<3> v = xyz(motion[i]), x = xyz(rows[i]);
    if (dot(v, v) < least2) return;
    Path path{x, balls.dt * v, 0};
    const Index ball = slide(balls, path);
    if (ball < 0) return;
    const Vec<3> u = (1 / balls.dt) * (path.at + path.way - x);
    motion[i] = {u[0], u[1], u[2], motion[i].w};
    if (met.size > 0) met[i] = ball, lost[i] = {v[0] - u[0], v[1] - u[1], v[2] - u[2], 0};
  }
};

struct AddMeetings {
  PairRows walls;
  CellRows fluid;
  Real reach, scale;
  Span<const Index> met;
  Span<const Row4> lost;
  Span<Row4> force;
  RTSIM_HD void operator()(Index b) const {
    const Row4 q = walls.cells.rows[b];
    const Real at[3] = {q.x, q.y, q.z};
    Row4& f = force[b];
    for_runs(fluid, at, at, reach, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        if (met[i] == b)
          f.x += scale * lost[i].x, f.y += scale * lost[i].y, f.z += scale * lost[i].z;
    });
  }
};

}  // namespace

void keep_inside(const Exec& ex, Real dt, Real spacing, bool moving, const PairRows& walls,
                 Span<const Row4> rows, Span<Row4> motion, Span<Index> met, Span<Row4> lost) {
  if (walls.cells.rows.size == 0) return;
  const Real radius = Real(0.75) * spacing, least = Real(0.05) * spacing / dt;
  const Balls balls{walls.cells, walls.motion, radius, moving ? radius + spacing : radius, dt, 0};
  parallel_for(ex, "walls.keep_inside", rows.size,
               KeepInside{balls, moving ? Real(0) : least * least, rows, motion, met, lost});
}

void add_meetings(const Exec& ex, const PairRows& walls, const CellRows& fluid, Real reach,
                  Real scale, Span<const Index> met, Span<const Row4> lost, Span<Row4> force) {
  parallel_for(ex, "walls.meetings", walls.cells.rows.size,
               AddMeetings{walls, fluid, reach, scale, met, lost, force});
}

template <int D>
void pack_walls(const Exec& ex, Span<const Index> order, Span<const Vec<D>> position,
                Span<const Vec<D>> velocity, Real ahead, Span<Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "walls.pack", order.size + lane_count,
               PackWall<D>{order, position, velocity, ahead, rows, motion});
}

void wall_volumes(const Exec& ex, const CubicSpline& kernel, Real gamma, const CellRows& samples,
                  Span<Row4> rows) {
  parallel_for(ex, "walls.volume", samples.rows.size, WallVolume{kernel, gamma, samples, rows});
}

void unpack_volumes(const Exec& ex, Span<const Index> order, Span<const Row4> rows,
                    Span<Real> volume) {
  parallel_for(ex, "walls.unpack", order.size, UnpackVolume{order, rows, volume});
}

template <int D>
void aim_walls(const Exec& ex, Span<const Index> order, Span<const Vec<D>> position,
               Span<const Vec<D>> velocity, Real ahead, Real inv_dt, Span<const Row4> rows,
               Span<Row4> motion) {
  parallel_for(ex, "walls.aim", order.size,
               AimWall<D>{order, position, velocity, ahead, inv_dt, rows, motion});
}

template <int D>
void unpack_forces(const Exec& ex, Span<const Index> order, Span<const Row4> rows, Real scale,
                   Span<Vec<D>> force) {
  parallel_for(ex, "walls.unpack", order.size, UnpackForce<D>{order, rows, scale, force});
}

#define RTSIM_INSTANTIATE(D)                                                                \
  template void pack_walls<D>(const Exec&, Span<const Index>, Span<const Vec<D>>,           \
                              Span<const Vec<D>>, Real, Span<Row4>, Span<Row4>);            \
  template void aim_walls<D>(const Exec&, Span<const Index>, Span<const Vec<D>>,            \
                             Span<const Vec<D>>, Real, Real, Span<const Row4>, Span<Row4>); \
  template void unpack_forces<D>(const Exec&, Span<const Index>, Span<const Row4>, Real,    \
                                 Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
