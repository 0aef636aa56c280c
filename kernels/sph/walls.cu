#include "sph/walls.h"

#include "exec/parallel.h"

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

}  // namespace

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
