#include "pressure/samples.h"

#include "exec/parallel.h"
#include "exec/sort.h"

namespace rtsim::pressure {

namespace {

// visit(i, inside) of the fluid rows i around sample b: whether they are within its support. Half
// of them are, in no order that a branch could predict.
struct Near {
  sph::Medium medium;
  sph::PairRows fluid, walls;

  template <class Visit>
  RTSIM_HD void operator()(Index b, const Visit& visit) const {
    const Row4 q = walls.cells.rows[b];
    const Real at[3] = {q.x, q.y, q.z}, support = medium.kernel.support;
    for_runs(fluid.cells, at, at, support, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const auto d = sph::separation<Real>(q, fluid.cells.rows[i], fluid.cells.grid.box);
        visit(i, d.r2 < support * support);
      }
    });
  }
};

struct CountNear {
  Near near;
  Span<const Real> limit;
  Span<Index> count;
  RTSIM_HD void operator()(Index b) const {
    Index n = 0;
    if (b < limit.size && limit[b] > 0) near(b, [&](Index, bool inside) { n += Index(inside); });
    count[b] = n;
  }
};

struct ListNear {
  Near near;
  Span<const Index> first;
  Span<Index> row;
  RTSIM_HD void operator()(Index b) const {
    Index n = first[b];
    const Index end = first[b + 1];
    if (n == end) return;
    near(b, [&](Index i, bool inside) {
      if (n < end) row[n] = i;
      n += Index(inside);
    });
  }
};

struct FindSample {
  Near near;
  sph::Phases phases;
  Span<const Real> limit;
  Span<const Index> first;
  Span<Index> row;
  Span<Row4> gradient;
  Span<Real> density, diagonal;
  RTSIM_HD void operator()(Index b) const {
    density[b] = 0, diagonal[b] = 0;
    const Index begin = first[b], end = first[b + 1];
    if (begin == end) return;
    Index n = begin;
    near(b, [&](Index i, bool inside) {
      if (n < end) row[n] = i;
      n += Index(inside);
    });
    sum_up(b, begin, end);
  }
  RTSIM_HD void sum_up(Index b, Index begin, Index end) const {
    const sph::Medium& medium = near.medium;
    const CellRows& fluid = near.fluid.cells;
    const Row4 q = near.walls.cells.rows[b];
    Real sum = 0, x = 0, y = 0, z = 0, squares = 0;
    for (Index n = begin; n < end; ++n) {
      const auto d = sph::separation<Real>(q, fluid.rows[row[n]], fluid.grid.box);
      const Real g = medium.gradient(d.r2);
      gradient[n] = {g * d.x, g * d.y, g * d.z, 0};
      sum += medium.kernel.shape(d.r2);
      x += g * d.x, y += g * d.y, z += g * d.z, squares += g * g * d.r2;
    }
    const Real m = medium.mass;
    density[b] = medium.rest_density + (m * medium.kernel.scale * sum - limit[b]);
    diagonal[b] = m * m * (x * x + y * y + z * z + squares);
    if (phases.mixed()) diagonal[b] = m * m * of_phases(begin, end);
  }
  // |sum_n sqrt(w_n) grad W_bn|^2 + sum_n w_n |grad W_bn|^2
  RTSIM_HD Real of_phases(Index begin, Index end) const {
    Real x = 0, y = 0, z = 0, squares = 0;
    for (Index n = begin; n < end; ++n) {
      const Row4 g = gradient[n];
      const Real w = phases.inv_density[sph::Phases::of(near.fluid.motion[row[n]].w)], r = root(w);
      x += r * g.x, y += r * g.y, z += r * g.z;
      squares += w * (g.x * g.x + g.y * g.y + g.z * g.z);
    }
    return x * x + y * y + z * z + squares;
  }
};

struct AddMobilityOfSample {
  Real mass;
  SampleLists lists;
  Span<const Real> mobility_bound;
  Span<Real> diagonal;
  RTSIM_HD void operator()(Index b) const {
    if (!(mobility_bound[b] > 0)) return;
    Real sum = 0;
    for (Index n = lists.first[b]; n < lists.first[b + 1]; ++n) {
      const Row4 g = lists.gradient[n];
      sum += root(g.x * g.x + g.y * g.y + g.z * g.z);
    }
    diagonal[b] += mass * mass * sum * mobility_bound[b];
  }
};

struct RateOfSample {
  Real mass;
  sph::PairRows fluid, walls;
  SampleLists lists;
  Span<Real> rate;
  RTSIM_HD void operator()(Index b) const {
    const Row4 v = walls.motion[b];
    Real sum = 0;
    for (Index n = lists.first[b]; n < lists.first[b + 1]; ++n) {
      const Row4 g = lists.gradient[n], u = fluid.motion[lists.row[n]];
      sum += g.x * (v.x - u.x) + g.y * (v.y - u.y) + g.z * (v.z - u.z);
    }
    rate[b] = mass * sum;
  }
};

struct PredictedRateOfSample {
  sph::Medium medium;
  sph::PairRows fluid, walls;
  SampleLists lists;
  Real dt;
  Span<Real> rate;
  RTSIM_HD void operator()(Index b) const {
    const Row4 p = walls.cells.rows[b], v = walls.motion[b];
    Real sum = 0, now = 0;
    for (Index n = lists.first[b]; n < lists.first[b + 1]; ++n) {
      const Index i = lists.row[n];
      const Row4 g = lists.gradient[n], u = fluid.motion[i];
      const auto d = sph::separation<Real>(p, fluid.cells.rows[i], fluid.cells.grid.box);
      const Real x = d.x + dt * (v.x - u.x), y = d.y + dt * (v.y - u.y), z = d.z + dt * (v.z - u.z);
      sum += medium.kernel.shape(x * x + y * y + z * z) - medium.kernel.shape(d.r2);
      now += g.x * (v.x - u.x) + g.y * (v.y - u.y) + g.z * (v.z - u.z);
    }
    rate[b] = medium.mass * min(medium.kernel.scale * sum / dt, now);
  }
};

struct Gather {
  Span<const Index> order;
  Span<const Real> column;
  Span<Real> packed;
  RTSIM_HD void operator()(Index k) const { packed[k] = column[order[k]]; }
};
struct Scatter {
  Span<const Index> order;
  Span<const Real> packed;
  Span<Real> column;
  RTSIM_HD void operator()(Index k) const { column[order[k]] = packed[k]; }
};

}  // namespace

Index count_near_samples(const Exec& ex, const Pairs& p, Span<const Real> limit,
                         Span<Index> first) {
  parallel_for(ex, "pressure.near_samples", first.size,
               CountNear{{p.medium, p.fluid, p.walls}, limit, first});
  return exclusive_scan(ex, "pressure.near_samples", first, first);
}

void list_near_samples(const Exec& ex, const Pairs& p, Span<const Index> first, Span<Index> row) {
  parallel_for(ex, "pressure.near_samples", first.size - 1,
               ListNear{{p.medium, p.fluid, p.walls}, first, row});
}

void find_samples(const Exec& ex, const Pairs& p, Span<const Real> limit, Span<const Index> first,
                  Span<Index> row, Span<Row4> gradient, Span<Real> density, Span<Real> diagonal) {
  parallel_for(
      ex, "pressure.find_samples", limit.size,
      FindSample{
          {p.medium, p.fluid, p.walls}, p.phases, limit, first, row, gradient, density, diagonal});
}

void add_mobility_of_samples(const Exec& ex, const Pairs& p, const SampleLists& lists,
                             Span<const Real> mobility_bound, Span<Real> diagonal) {
  parallel_for(ex, "pressure.yield", diagonal.size,
               AddMobilityOfSample{p.medium.mass, lists, mobility_bound, diagonal});
}

void rate_of_samples(const Exec& ex, const Pairs& p, const SampleLists& lists, Span<Real> rate) {
  parallel_for(ex, "pressure.rate_of_samples", rate.size,
               RateOfSample{p.medium.mass, p.fluid, p.walls, lists, rate});
}

void predicted_rate_of_samples(const Exec& ex, const Pairs& p, const SampleLists& lists, Real dt,
                               Span<Real> rate) {
  parallel_for(ex, "pressure.rate_of_samples", rate.size,
               PredictedRateOfSample{p.medium, p.fluid, p.walls, lists, dt, rate});
}

void gather(const Exec& ex, Span<const Index> order, Span<const Real> column, Span<Real> packed) {
  parallel_for(ex, "pressure.gather", packed.size, Gather{order, column, packed});
}

void scatter(const Exec& ex, Span<const Index> order, Span<const Real> packed, Span<Real> column) {
  parallel_for(ex, "pressure.scatter", packed.size, Scatter{order, packed, column});
}

}  // namespace rtsim::pressure
