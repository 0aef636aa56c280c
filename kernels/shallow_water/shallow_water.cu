#include "shallow_water/shallow_water.h"

#include "exec/parallel.h"
#include "shallow_water/friction.h"
#include "shallow_water/reconstruction.h"
#include "shallow_water/riemann.h"
#include "shallow_water/tiles.h"

namespace rtsim::shallow_water {

namespace {

RTSIM_HD Index wrapped(Index i, Index n) { return ((i % n) + n) % n; }
RTSIM_HD Index clamped(Index i, Index n) { return i < 0 ? 0 : (i < n ? i : n - 1); }

struct Rates {
  Real h, qx, qz;  // times the spacing
};

// A column with what the laws want of it.
struct Cell {
  Fields<Real> at;
  Real c;
};
// A cell half a step on, and its limited steps.
struct Half {
  Fields<Real> q, x, z;
  Real c;
};

// The columns with what lies beyond the edges, as the tiles have it.
struct View {
  Flow flow;
  Columns at;

  RTSIM_HD Water water(Index i, Index k) const {
    const Index c = i + flow.nx * k;
    const Real h = at.depth[c], f = over_depth(h, flow.dry);
    return {h, at.bed[c], at.discharge_x[c] * f, at.discharge_z[c] * f};
  }

  // Any cell within or up to two beyond the edges; beyond a corner along z of what is along x.
  RTSIM_HD Cell cell(Index i, Index k) const {
    if (flow.periodic_z || (k >= 0 && k < flow.nz)) return of_line(i, wrapped(k, flow.nz));
    const bool low = k < 0;
    const Index layer = low ? -1 - k : k - flow.nz;
    const Real inward = low ? Real(1) : Real(-1);
    const Cell inner = of_line(i, low ? 0 : flow.nz - 1),
               mirror = of_line(i, clamped(low ? layer : flow.nz - 1 - layer, flow.nz));
    const Beyond g = beyond(flow.edge[low ? 2 : 3], clamped(i, flow.nx), facing_z(inner, inward),
                            facing_z(mirror, inward), flow.g);
    return complete({g.h, g.b, g.t, inward * g.n});
  }

  // Likewise on a line of the domain.
  RTSIM_HD Cell of_line(Index i, Index k) const {
    if (flow.periodic_x || (i >= 0 && i < flow.nx)) return complete(water(wrapped(i, flow.nx), k));
    const bool low = i < 0;
    const Index layer = low ? -1 - i : i - flow.nx;
    const Real inward = low ? Real(1) : Real(-1);
    const Cell inner = complete(water(low ? 0 : flow.nx - 1, k)),
               mirror = complete(water(clamped(low ? layer : flow.nx - 1 - layer, flow.nx), k));
    const Beyond g = beyond(flow.edge[low ? 0 : 1], k, facing_x(inner, inward),
                            facing_x(mirror, inward), flow.g);
    return complete({g.h, g.b, inward * g.n, g.t});
  }

  RTSIM_HD static Beyond facing_x(const Cell& c, Real inward) {
    return {c.at.h, c.at.w - c.at.h, inward * c.at.u, c.at.v};
  }
  RTSIM_HD static Beyond facing_z(const Cell& c, Real inward) {
    return {c.at.h, c.at.w - c.at.h, inward * c.at.v, c.at.u};
  }

  RTSIM_HD Cell complete(const Water& q) const {
    return {{q.h, q.h + q.b, q.u, q.v}, std::sqrt(flow.g * q.h)};
  }

  // All that the rates of a cell look at. Away from the edges in registers; at them in a loop,
  // since written out it would be thirteen copies of the edges' conditions.
  template <bool inner>
  RTSIM_HD void gather(Index i, Index k, Cell (&q)[5][5]) const {
    if constexpr (inner) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (Index dz = -2; dz <= 2; ++dz)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (Index dx = -2; dx <= 2; ++dx)
          if (std::abs(dx) + std::abs(dz) <= 2) q[2 + dz][2 + dx] = complete(water(i + dx, k + dz));
    } else {
      for (Index dz = -2; dz <= 2; ++dz) {
        const Index wide = dz < 0 ? 2 + dz : 2 - dz;
        for (Index dx = -wide; dx <= wide; ++dx) q[2 + dz][2 + dx] = cell(i + dx, k + dz);
      }
    }
  }
  RTSIM_HD bool away_from_edges(Index i, Index k) const {
    return i >= 2 && i < flow.nx - 2 && k >= 2 && k < flow.nz - 2;
  }

  // Of the cell at [z][x] of those gathered.
  RTSIM_HD Half half(const Cell (&q)[5][5], int z, int x, Real f) const {
    const Cell& here = q[z][x];
    const Fields<Real> along_x = limited_steps(q[z][x - 1].at, here.at, q[z][x + 1].at),
                       along_z = limited_steps(q[z - 1][x].at, here.at, q[z + 1][x].at);
    return {half_a_step_on(here.at, along_x, along_z, f, flow.g), along_x, along_z, here.c};
  }

  RTSIM_HD Flux<Real> face_x(const Half& a, const Half& b) const {
    const Fields<Real> l = at_face(a.q, a.x, half_cell), r = at_face(b.q, b.x, -half_cell);
    return hll<Real>({l.h, l.w, l.u, l.v, a.c}, {r.h, r.w, r.u, r.v, b.c}, flow.g);
  }
  RTSIM_HD Flux<Real> face_z(const Half& a, const Half& b) const {
    const Fields<Real> l = at_face(a.q, a.z, half_cell), r = at_face(b.q, b.z, -half_cell);
    return hll<Real>({l.h, l.w, l.v, l.u, a.c}, {r.h, r.w, r.v, r.u, b.c}, flow.g);
  }

  RTSIM_HD Rates rates(Index i, Index k, Real f) const {
    return away_from_edges(i, k) ? rates<true>(i, k, f) : rates<false>(i, k, f);
  }
  // In the order of the tiles.
  template <bool inner>
  RTSIM_HD Rates rates(Index i, Index k, Real f) const {
    Cell q[5][5];
    gather<inner>(i, k, q);
    const Half here = half(q, 2, 2, f);
    const Flux<Real> z0 = face_z(half(q, 1, 2, f), here), z1 = face_z(here, half(q, 3, 2, f)),
                     x0 = face_x(half(q, 2, 1, f), here), x1 = face_x(here, half(q, 2, 3, f));
    const Real w = weight(here.q, flow.g);
    return {(z0.mass + (x0.mass - x1.mass)) - z1.mass,
            ((z0.along + w * here.x.w) + (x0.above - x1.below)) - z1.along,
            ((z0.above + w * here.z.w) + (x0.along - x1.along)) - z1.below};
  }
};

struct Advance {
  View view;
  Real dt;
  Columns to;

  RTSIM_HD void operator()(Index c) const {
    const Flow& f = view.flow;
    const Index i = c % f.nx, k = c / f.nx;
    const Water q = view.water(i, k);
    const Real factor = dt / f.spacing;
    const Rates r = view.rates(i, k, factor);
    const Real left =
        f.roughness > 0 ? left_by_friction(dt * f.roughness, q.h, q.u, q.v, f.dry) : Real(1);
    const bool thin = q.h < f.dry;
    to.depth[c] = fma(factor, r.h, q.h) + dt * f.rain;
    to.discharge_x[c] = fma(factor, r.qx, thin ? q.h * q.u : view.at.discharge_x[c]) * left;
    to.discharge_z[c] = fma(factor, r.qz, thin ? q.h * q.v : view.at.discharge_z[c]) * left;
  }
};

struct Mass {
  View view;
  Real factor;
  Span<const CellFace> faces;
  Span<Real> mass;

  RTSIM_HD void operator()(Index n) const {
    const CellFace& face = faces[n];
    Cell q[5][5];
    view.gather<false>(face.cell % view.flow.nx, face.cell / view.flow.nx, q);
    const Half here = view.half(q, 2, 2, factor);
    const int by = face.side % 2 == 0 ? -1 : 1;
    const bool along_x = face.side < 2;
    const Half other = view.half(q, along_x ? 2 : 2 + by, along_x ? 2 + by : 2, factor);
    const Half &low = by < 0 ? other : here, &high = by < 0 ? here : other;
    mass[n] = along_x ? view.face_x(low, high).mass : view.face_z(low, high).mass;
  }
};

struct Look {
  View view;
  RTSIM_HD Watch operator()(Index c) const {
    const Water q = view.water(c, 0);
    const Real s = std::abs(q.u) + std::abs(q.v) + 2 * std::sqrt(view.flow.g * q.h);
    return {s, min(q.h, 0), s};
  }
};
struct Worse {
  RTSIM_HD Watch operator()(const Watch& a, const Watch& b) const { return worse(a, b); }
};

struct Lost {
  Columns at;
  Index none;
  RTSIM_HD Index operator()(Index c) const {
    const Real sum = at.depth[c] + at.discharge_x[c] + at.discharge_z[c];
    return sum - sum == 0 && at.depth[c] >= 0 ? none : c;
  }
};
struct Lowest {
  RTSIM_HD Index operator()(Index a, Index b) const { return a < b ? a : b; }
};

struct Velocity {
  View view;
  Span<Vec<3>> velocity;
  RTSIM_HD void operator()(Index c) const {
    const Water q = view.water(c, 0);
    velocity[c] = {{q.u, 0, q.v}};
  }
};

}  // namespace

Watch step(const Exec& ex, const Flow& flow, double dt, const Columns& from, const Columns& to) {
  if (ex.cpu_shaped()) return step_tiles(ex, flow, dt, from, to);
  parallel_for(ex, "shallow_water.step", flow.cells(), Advance{{flow, from}, Real(dt), to});
  Watch w = look(ex, flow, from);
  w.least_depth = look(ex, flow, to).least_depth;
  return w;
}

void face_masses(const Exec& ex, const Flow& flow, double dt, const Columns& at,
                 Span<const CellFace> faces, Span<Real> mass) {
  parallel_for(ex, "shallow_water.face_masses", faces.size,
               Mass{{flow, at}, Real(dt) / flow.spacing, faces, mass});
}

Watch look(const Exec& ex, const Flow& flow, const Columns& at) {
  return reduce(ex, "shallow_water.watch", flow.cells(), Watch{}, Look{{flow, at}}, Worse{});
}

Index first_lost(const Exec& ex, const Flow& flow, const Columns& at) {
  return reduce(ex, "shallow_water.watch", flow.cells(), flow.cells(), Lost{at, flow.cells()},
                Lowest{});
}

void velocities(const Exec& ex, const Flow& flow, const Columns& at, Span<Vec<3>> velocity) {
  parallel_for(ex, "shallow_water.velocity", flow.cells(), Velocity{{flow, at}, velocity});
}

}  // namespace rtsim::shallow_water
