#include "foam/foam.h"

#include "exec/parallel.h"

namespace rtsim::foam {

namespace {

RTSIM_HD Vec<3> xyz(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD Row4 row(const Vec<3>& v, Real w) { return {v[0], v[1], v[2], w}; }

template <int D>
RTSIM_HD Row4 row(const Vec<D>& v) {
  return {v[0], v[1], D == 3 ? v[D - 1] : Real(0), 0};
}
template <int D>
RTSIM_HD Vec<D> cut(const Vec<3>& v) {
  Vec<D> r;
  for (int a = 0; a < D; ++a) r[a] = v[a];
  return r;
}

// visit(j, x - x_j, their distance, its weight) for the liquid's rows within the support, in the
// order of their cells.
template <class Visit>
RTSIM_HD void for_neighbours(const Liquid& liquid, const Vec<3>& x, const Visit& visit) {
  const CellRows& c = liquid.cells;
  const Real h = liquid.reach.support;
  for_runs(c, x.c, x.c, h, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      Vec<3> d = x - xyz(c.rows[j]);
      if (c.grid.box.any) c.grid.box.bring(d[0], d[1], d[2]);
      const Real r2 = dot(d, d);
      if (!(r2 < h * h)) continue;
      const Real r = std::sqrt(r2);
      visit(j, d, r, 1 - r * liquid.reach.inv_support);
    }
  });
}

template <int D>
struct PackLiquid {
  Span<const Index> order;
  Span<const Vec<D>> position, velocity;
  Span<const std::uint32_t> id;
  Span<Row4> rows, packed_velocity;
  Span<std::uint32_t> packed_id;
  RTSIM_HD void operator()(Index k) const {
    const Index i = order[k];
    rows[k] = row<D>(position[i]), packed_velocity[k] = row<D>(velocity[i]);
    packed_id[k] = id[i];
  }
};

struct Look {
  Liquid liquid;
  Ramp energy;
  Sight sight;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> v = xyz(liquid.velocity[i]);
    sight.normal[i] = {0, 0, 0, 0}, sight.neighbours[i] = 0;
    if (!(energy(Real(0.5) * dot(v, v)) > 0)) return;
    Vec<3> offset;
    Real closing = 0;
    Index neighbours = 0;
    for_neighbours(liquid, xyz(liquid.cells.rows[i]),
                   [&](Index j, const Vec<3>& d, Real r, Real w) {
                     if (j == i) return;
                     ++neighbours;
                     if (!(r > 0)) return;  // in one place: neither apart nor approaching
                     const Real inv_r = 1 / r;
                     offset = offset + (w * inv_r) * d;
                     closing += w * approach(d, v - xyz(liquid.velocity[j]), inv_r);
                   });
    const Real length = norm(offset), share = length * liquid.reach.inv_weight;
    const Vec<3> normal = share > least_offset ? 1 / length * offset : Vec<3>{};
    sight.normal[i] = row(normal, closing * liquid.reach.inv_weight);
    sight.neighbours[i] = neighbours;
  }
};

struct CountBirths {
  Liquid liquid;
  Sight sight;
  Potentials potentials;
  Draws draws;
  Real dt;
  Span<Index> births;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> v = xyz(liquid.velocity[i]);
    births[i] = 0;
    const Real energy = potentials.energy(Real(0.5) * dot(v, v));
    if (!(energy > 0)) return;
    const Real rate = potentials.air_rate * potentials.air(sight.normal[i].w) +
                      potentials.crest_rate * crest(i, v);
    if (!(rate > 0)) return;
    births[i] = rounded(energy * rate * dt, draws(liquid.ids[i], 0).c[0]);
  }
  RTSIM_HD Real crest(Index i, const Vec<3>& v) const {
    const Vec<3> n = xyz(sight.normal[i]);
    if (!(potentials.crest_rate > 0) || !moves_outwards(v, n)) return 0;
    Real curvature = 0;
    for_neighbours(liquid, xyz(liquid.cells.rows[i]), [&](Index j, const Vec<3>& d, Real, Real w) {
      curvature += w * convexity(d, n, xyz(sight.normal[j]));
    });
    return potentials.crests(curvature * liquid.reach.inv_weight);
  }
};

template <int D>
struct Bear {
  Liquid liquid;
  Sight sight;
  Draws draws;
  Newborn newborn;
  Ways ways;
  Rows<D> rows;
  RTSIM_HD void operator()(Index k) const {
    const Vec<3> x = xyz(liquid.cells.rows[k]), v = xyz(liquid.velocity[k]);
    for (Index b = 0; b < newborn.births[k]; ++b) {
      const Index more = newborn.first[k] + b, i = newborn.base + more;
      if (i >= rows.position.size) return;
      const Random4 draw = draws(liquid.ids[k], std::uint32_t(b) + 1);
      const Birth birth = born<D>(x, v, newborn.dt, newborn.radius, newborn.spread, draw);
      rows.position[i] = cut<D>(birth.position), rows.velocity[i] = cut<D>(birth.velocity);
      rows.id[i] = newborn.first_id + std::uint32_t(more);
      rows.phase[i] = std::int32_t(newborn.classes(sight.neighbours[k] + 1));
      rows.lifetime[i] = birth.life * newborn.lifetime;
      if (ways.at.size == 0) continue;
      ways.at[more] = row(x, 0), ways.way[more] = row(1 / ways.dt * (birth.position - x), 0);
    }
  }
};

template <int D>
struct KeepBorn {
  Index base;
  Ways ways;
  Span<const Row4> bent;
  Rows<D> rows;
  RTSIM_HD void operator()(Index k) const {
    const Vec<3> to = xyz(bent[k]), from = xyz(ways.way[k]);
    if (to[0] == from[0] && to[1] == from[1] && to[2] == from[2]) return;
    rows.position[base + k] = cut<D>(xyz(ways.at[k]) + ways.dt * to);
  }
};

template <int D>
struct Advance {
  Liquid liquid;
  Classes classes;
  Motion motion;
  Rows<D> rows;
  Span<Row4> at, way;
  RTSIM_HD void operator()(Index i) const {
    at[i] = row<D>(rows.position[i]);
    const Around near = around(xyz(at[i]));
    const Phase phase = classes(near.neighbours);
    Vec<3> v = xyz(row<D>(rows.velocity[i]));
    way[i] = row(advance(motion, phase, near, v), 0);
    rows.velocity[i] = cut<D>(v);
    rows.phase[i] = std::int32_t(phase);
    if (phase == Phase::foam) rows.age[i] += motion.dt;
  }
  RTSIM_HD Around around(const Vec<3>& x) const {
    Around near;
    Real weight = 0;
    for_neighbours(liquid, x, [&](Index j, const Vec<3>&, Real, Real w) {
      ++near.neighbours, weight += w;
      near.velocity = near.velocity + w * xyz(liquid.velocity[j]);
    });
    if (weight > 0) near.velocity = 1 / weight * near.velocity;
    return near;
  }
};

template <int D>
struct Go {
  Real dt;
  neighbours::Box domain;
  Span<const Row4> way, bent;
  Rows<D> rows;
  Span<std::uint32_t> doomed;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> u = xyz(bent[i]), change = u - xyz(way[i]);
    const Vec<D> x = rows.position[i] + dt * cut<D>(u);
    rows.position[i] = x, rows.velocity[i] = rows.velocity[i] + cut<D>(change);
    bool over = rows.phase[i] == std::int32_t(Phase::foam) && rows.age[i] >= rows.lifetime[i];
    for (int a = 0; a < D; ++a) over = over || x[a] < domain.low[a] || x[a] > domain.high[a];
    doomed[i] = over;
  }
};

struct OfPhase {
  Span<const std::int32_t> phase;
  RTSIM_HD Counts operator()(Index i) const {
    Counts c;
    for (int p = 0; p < 3; ++p) c.of[p] = phase[i] == p;
    return c;
  }
};
struct AddCounts {
  RTSIM_HD Counts operator()(Counts a, const Counts& b) const {
    for (int p = 0; p < 3; ++p) a.of[p] += b.of[p];
    return a;
  }
};

}  // namespace

template <int D>
void pack_liquid(const Exec& ex, Span<const Index> order, Span<const Vec<D>> position,
                 Span<const Vec<D>> velocity, Span<const std::uint32_t> id, Span<Row4> rows,
                 Span<Row4> packed_velocity, Span<std::uint32_t> packed_id) {
  parallel_for(ex, "foam.pack", order.size,
               PackLiquid<D>{order, position, velocity, id, rows, packed_velocity, packed_id});
}

void look(const Exec& ex, const Liquid& liquid, const Ramp& energy, const Sight& sight) {
  parallel_for(ex, "foam.look", liquid.ids.size, Look{liquid, energy, sight});
}

void count_births(const Exec& ex, const Liquid& liquid, const Sight& sight,
                  const Potentials& potentials, const Draws& draws, Real dt, Span<Index> births) {
  parallel_for(ex, "foam.count_births", births.size,
               CountBirths{liquid, sight, potentials, draws, dt, births});
}

template <int D>
void bear(const Exec& ex, const Liquid& liquid, const Sight& sight, const Draws& draws,
          const Newborn& newborn, const Ways& ways, const Rows<D>& rows) {
  parallel_for(ex, "foam.bear", newborn.births.size,
               Bear<D>{liquid, sight, draws, newborn, ways, rows});
}

template <int D>
void keep_born(const Exec& ex, Index base, const Ways& ways, Span<const Row4> bent,
               const Rows<D>& rows) {
  parallel_for(ex, "foam.keep_born", bent.size, KeepBorn<D>{base, ways, bent, rows});
}

template <int D>
void advance(const Exec& ex, const Liquid& liquid, const Classes& classes, const Motion& motion,
             const Rows<D>& rows, Span<Row4> at, Span<Row4> way) {
  parallel_for(ex, "foam.advance", rows.position.size,
               Advance<D>{liquid, classes, motion, rows, at, way});
}

template <int D>
void go(const Exec& ex, Real dt, const neighbours::Box& domain, Span<const Row4> way,
        Span<const Row4> bent, const Rows<D>& rows, Span<std::uint32_t> doomed) {
  parallel_for(ex, "foam.go", rows.position.size, Go<D>{dt, domain, way, bent, rows, doomed});
}

Counts count(const Exec& ex, Span<const std::int32_t> phase) {
  return reduce(ex, "foam.count", phase.size, Counts{}, OfPhase{phase}, AddCounts{});
}

#define RTSIM_INSTANTIATE(D)                                                                     \
  template void pack_liquid<D>(const Exec&, Span<const Index>, Span<const Vec<D>>,               \
                               Span<const Vec<D>>, Span<const std::uint32_t>, Span<Row4>,        \
                               Span<Row4>, Span<std::uint32_t>);                                 \
  template void bear<D>(const Exec&, const Liquid&, const Sight&, const Draws&, const Newborn&,  \
                        const Ways&, const Rows<D>&);                                            \
  template void keep_born<D>(const Exec&, Index, const Ways&, Span<const Row4>, const Rows<D>&); \
  template void advance<D>(const Exec&, const Liquid&, const Classes&, const Motion&,            \
                           const Rows<D>&, Span<Row4>, Span<Row4>);                              \
  template void go<D>(const Exec&, Real, const neighbours::Box&, Span<const Row4>,               \
                      Span<const Row4>, const Rows<D>&, Span<std::uint32_t>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::foam
