#include "sph/walls.h"

#include "exec/parallel.h"

namespace rtsim::sph {

namespace {

template <int D>
struct PackWall {
  PeriodicBox box;
  Span<const Index> order;
  Span<const Vec<D>> position, velocity;
  Span<const Index> layer;
  Real ahead;
  Span<Row4> rows, motion;
  RTSIM_HD void operator()(Index k) const {
    if (k >= order.size) {
      rows[k] = {Real(1e6), Real(1e6), Real(1e6), 0}, motion[k] = {0, 0, 0, 0};
      return;
    }
    const Vec<D> v = velocity[order[k]];
    Vec<D> x = position[order[k]] - ahead * v;
    for (int a = 0; a < D; ++a) x[a] = box.wrapped(a, x[a]);
    rows[k] = {x[0], x[1], D == 3 ? x[D - 1] : Real(0), Real(layer[order[k]])};
    motion[k] = {v[0], v[1], D == 3 ? v[D - 1] : Real(0), 0};
  }
};

template <int D>
struct AimWall {
  PeriodicBox box;
  Span<const Index> order;
  Span<const Vec<D>> position, velocity;
  Real ahead, inv_dt;
  Span<const Row4> rows;
  Span<Row4> motion;
  RTSIM_HD void operator()(Index k) const {
    const Vec<D> x = position[order[k]] - ahead * velocity[order[k]];
    const Real p[3] = {rows[k].x, rows[k].y, rows[k].z};
    Real v[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) v[a] = inv_dt * box.nearest(a, box.wrapped(a, x[a]) - p[a]);
    motion[k] = {v[0], v[1], v[2], 0};
  }
};

struct WallVolume {
  CubicSpline kernel;
  Real gamma;
  CellRows samples;
  Span<const Index> order;
  Span<Real> volume;
  RTSIM_HD void operator()(Index i) const {
    const Row4 p = samples.rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    Real sum = 0;
    for_runs(samples, at, at, kernel.support, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const Row4 q = samples.rows[j];
        if (q.w != p.w) continue;
        Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
        if (samples.grid.box.any) samples.grid.box.bring(x, y, z);
        sum += kernel.shape(x * x + y * y + z * z);
      }
    });
    volume[order[i]] = gamma / (kernel.scale * sum);
  }
};

struct StoreVolume {
  Span<const Index> order;
  Span<const Real> volume;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index k) const { rows[k].w = volume[order[k]]; }
};

template <int D>
struct UnpackForce {
  Span<const Index> order;
  Span<const Row4> rows;
  Real scale;
  Span<Vec<D>> force;
  RTSIM_HD void operator()(Index k) const {
    const Real f[3] = {rows[k].x, rows[k].y, rows[k].z};
    for (int a = 0; a < D; ++a) force[order[k]][a] += scale * f[a];
  }
};

struct ForceOfSample {
  OwnSamples own;
  Span<const Row4> rows, force, couple;
  RTSIM_HD ForceAndTorque operator()(Index k) const {
    const Index sample = own.order[k] - own.first;
    const bool mine = sample >= 0 && sample < own.owners.size && own.owners[sample] == own.owner;
    if (!mine) return {};
    const Row4 m = couple[k];
    return AddForces{}(acting_at(rows[k], force[k]),
                       {{0, 0, 0}, {double(m.x), double(m.y), double(m.z)}});
  }
};

struct PlaceOfSample {
  Span<const Index> order;
  Span<Index> places;
  RTSIM_HD void operator()(Index k) const { places[order[k]] = k; }
};

struct SumOwned {
  Index first;
  Span<const Index> starts, places;
  Span<const Row4> rows, force, couple;
  Span<ForceAndTorque> sums;
  RTSIM_HD void operator()(Index o) const {
    ForceAndTorque sum;
    for (Index s = starts[o]; s < starts[o + 1]; ++s) {
      const Index k = places[first + s];
      const Row4 m = couple[k];
      sum = AddForces{}(sum, acting_at(rows[k], force[k]));
      sum = AddForces{}(sum, {{0, 0, 0}, {double(m.x), double(m.y), double(m.z)}});
    }
    sums[o] = sum;
  }
};

struct SumShared {
  Index first;
  skin::Shares shares;
  Span<const Index> places;
  Span<const Row4> rows, force, couple;
  Span<ForceAndTorque> sums;
  RTSIM_HD void operator()(Index p) const {
    ForceAndTorque sum;
    for (Index e = shares.first[p]; e < shares.first[p + 1]; ++e) {
      const Index slot = shares.slots[e], k = places[first + slot / 4];
      const double w = double(shares.bindings[slot / 4].weight[slot % 4]);
      const Row4 m = couple[k];
      const double own[3] = {double(m.x), double(m.y), double(m.z)};
      const ForceAndTorque f = acting_at(rows[k], force[k]);
      for (int a = 0; a < 3; ++a)
        sum.force[a] += w * f.force[a], sum.torque[a] += w * (f.torque[a] + own[a]);
    }
    sums[p] = sum;
  }
};

}  // namespace

template <int D>
void pack_walls(const Exec& ex, const PeriodicBox& box, Span<const Index> order,
                Span<const Vec<D>> position, Span<const Vec<D>> velocity, Span<const Index> layer,
                Real ahead, Span<Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "walls.pack", order.size + lane_count,
               PackWall<D>{box, order, position, velocity, layer, ahead, rows, motion});
}

void wall_volumes(const Exec& ex, const CubicSpline& kernel, Real gamma, const CellRows& samples,
                  Span<const Index> order, Span<Real> volume, Span<Row4> rows) {
  parallel_for(ex, "walls.volume", samples.rows.size,
               WallVolume{kernel, gamma, samples, order, volume});
  parallel_for(ex, "walls.store_volume", samples.rows.size, StoreVolume{order, volume, rows});
}

template <int D>
void aim_walls(const Exec& ex, const PeriodicBox& box, Span<const Index> order,
               Span<const Vec<D>> position, Span<const Vec<D>> velocity, Real ahead, Real inv_dt,
               Span<const Row4> rows, Span<Row4> motion) {
  parallel_for(ex, "walls.aim", order.size,
               AimWall<D>{box, order, position, velocity, ahead, inv_dt, rows, motion});
}

template <int D>
void unpack_forces(const Exec& ex, Span<const Index> order, Span<const Row4> rows, Real scale,
                   Span<Vec<D>> force) {
  parallel_for(ex, "walls.unpack", order.size, UnpackForce<D>{order, rows, scale, force});
}

ForceAndTorque sum_forces(const Exec& ex, const OwnSamples& own, Span<const Row4> rows,
                          Span<const Row4> force, Span<const Row4> couple) {
  return reduce(ex, "walls.sum_forces", force.size, ForceAndTorque{},
                ForceOfSample{own, rows, force, couple}, AddForces{});
}

void find_places(const Exec& ex, Span<const Index> order, Span<Index> places) {
  parallel_for(ex, "walls.places", order.size, PlaceOfSample{order, places});
}

void sum_owned(const Exec& ex, Index first, Span<const Index> starts, Span<const Index> places,
               Span<const Row4> rows, Span<const Row4> force, Span<const Row4> couple,
               Span<ForceAndTorque> sums) {
  parallel_for(ex, "walls.sum_owned", sums.size,
               SumOwned{first, starts, places, rows, force, couple, sums});
}

void sum_shared(const Exec& ex, Index first, const skin::Shares& shares, Span<const Index> places,
                Span<const Row4> rows, Span<const Row4> force, Span<const Row4> couple,
                Span<ForceAndTorque> sums) {
  parallel_for(ex, "walls.sum_shared", sums.size,
               SumShared{first, shares, places, rows, force, couple, sums});
}

#define RTSIM_INSTANTIATE(D)                                                                       \
  template void pack_walls<D>(const Exec&, const PeriodicBox&, Span<const Index>,                  \
                              Span<const Vec<D>>, Span<const Vec<D>>, Span<const Index>, Real,     \
                              Span<Row4>, Span<Row4>);                                             \
  template void aim_walls<D>(const Exec&, const PeriodicBox&, Span<const Index>,                   \
                             Span<const Vec<D>>, Span<const Vec<D>>, Real, Real, Span<const Row4>, \
                             Span<Row4>);                                                          \
  template void unpack_forces<D>(const Exec&, Span<const Index>, Span<const Row4>, Real,           \
                                 Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
