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

  // Of a cell and its neighbours along x and z.
  RTSIM_HD Half half(const Cell& here, const Cell& x0, const Cell& x1, const Cell& z0,
                     const Cell& z1, Real f) const {
    const Fields<Real> along_x = limited_steps(x0.at, here.at, x1.at),
                       along_z = limited_steps(z0.at, here.at, z1.at);
    return {half_a_step_on(here.at, along_x, along_z, f, flow.g), along_x, along_z, here.c};
  }
  RTSIM_HD Half half(Index i, Index k, Real f) const {
    return half(cell(i, k), cell(i - 1, k), cell(i + 1, k), cell(i, k - 1), cell(i, k + 1), f);
  }

  RTSIM_HD Flux<Real> face_x(const Half& a, const Half& b) const {
    const Fields<Real> l = at_face(a.q, a.x, half_cell), r = at_face(b.q, b.x, -half_cell);
    return hll<Real>({l.h, l.w, l.u, l.v, a.c}, {r.h, r.w, r.u, r.v, b.c}, flow.g);
  }
  RTSIM_HD Flux<Real> face_z(const Half& a, const Half& b) const {
    const Fields<Real> l = at_face(a.q, a.z, half_cell), r = at_face(b.q, b.z, -half_cell);
    return hll<Real>({l.h, l.w, l.v, l.u, a.c}, {r.h, r.w, r.v, r.u, b.c}, flow.g);
  }

  // In the order of the tiles that CPUs go through.
  RTSIM_HD Rates rates(const Half& here, const Half& below_x, const Half& above_x,
                       const Half& below_z, const Half& above_z) const {
    const Flux<Real> z0 = face_z(below_z, here), z1 = face_z(here, above_z),
                     x0 = face_x(below_x, here), x1 = face_x(here, above_x);
    const Real w = weight(here.q, flow.g);
    return {(z0.mass + (x0.mass - x1.mass)) - z1.mass,
            ((z0.along + w * here.x.w) + (x0.above - x1.below)) - z1.along,
            ((z0.above + w * here.z.w) + (x0.along - x1.along)) - z1.below};
  }
};

// A step of a tile of columns: cells with two beyond it on each side, then halves with one, then
// rates. What neighbours have in common is worked out once.
struct Advance {
  static constexpr Index width = 32, height = sizeof(Real) == sizeof(float) ? 16 : 4;
  static constexpr Index cells_x = width + 4, halves_x = width + 2;
  static constexpr Index threads = 256;
  static constexpr int phases = 3;
  // Odd numbers of words each, so that neighbours lie in different banks.
  struct Shared {
    Cell cells[cells_x * (height + 4)];
    Half halves[halves_x * (height + 2)];
  };

  View view;
  Real dt;
  Columns to;

  RTSIM_HD Index tiles_x() const { return (view.flow.nx + width - 1) / width; }
  Index tiles() const { return tiles_x() * ((view.flow.nz + height - 1) / height); }

  RTSIM_HD void operator()(int phase, Index tile, Index thread, Shared& s) const {
    const Index x = tile % tiles_x() * width, z = tile / tiles_x() * height;
    if (phase == 0)
      for (Index n = thread; n < cells_x * (height + 4); n += threads) load(x, z, n, s);
    else if (phase == 1)
      for (Index n = thread; n < halves_x * (height + 2); n += threads) go_half(x, z, n, s);
    else
      for (Index n = thread; n < width * height; n += threads) finish(x, z, n, s);
  }

 private:
  RTSIM_HD void load(Index x, Index z, Index n, Shared& s) const {
    const Index i = x + n % cells_x - 2, k = z + n / cells_x - 2;
    if (i < view.flow.nx + 2 && k < view.flow.nz + 2) s.cells[n] = view.cell(i, k);
  }
  RTSIM_HD void go_half(Index x, Index z, Index n, Shared& s) const {
    const Index i = n % halves_x, k = n / halves_x;
    if (x + i - 1 > view.flow.nx || z + k - 1 > view.flow.nz) return;
    const Cell* here = s.cells + (i + 1) + cells_x * (k + 1);
    s.halves[n] = view.half(here[0], here[-1], here[1], here[-cells_x], here[cells_x], factor());
  }
  RTSIM_HD void finish(Index x, Index z, Index n, const Shared& s) const {
    const Flow& f = view.flow;
    const Index i = n % width, k = n / width;
    if (x + i >= f.nx || z + k >= f.nz) return;
    const Half* here = s.halves + (i + 1) + halves_x * (k + 1);
    advance(x + i + f.nx * (z + k), s.cells[(i + 2) + cells_x * (k + 2)].at,
            view.rates(here[0], here[-1], here[1], here[-halves_x], here[halves_x]));
  }
  RTSIM_HD void advance(Index c, const Fields<Real>& q, const Rates& r) const {
    const Flow& f = view.flow;
    const Real left =
        f.roughness > 0 ? left_by_friction(dt * f.roughness, q.h, q.u, q.v, f.dry) : Real(1);
    const bool thin = q.h < f.dry;
    to.depth[c] = fma(factor(), r.h, q.h) + dt * f.rain;
    to.discharge_x[c] = fma(factor(), r.qx, thin ? q.h * q.u : view.at.discharge_x[c]) * left;
    to.discharge_z[c] = fma(factor(), r.qz, thin ? q.h * q.v : view.at.discharge_z[c]) * left;
  }
  RTSIM_HD Real factor() const { return dt / view.flow.spacing; }
};

struct Mass {
  View view;
  Real factor;
  Span<const CellFace> faces;
  Span<Real> mass;

  RTSIM_HD void operator()(Index n) const {
    const CellFace& face = faces[n];
    const Index i = face.cell % view.flow.nx, k = face.cell / view.flow.nx;
    const Index by = face.side % 2 == 0 ? -1 : 1;
    const bool along_x = face.side < 2;
    const Half here = view.half(i, k, factor),
               other = view.half(along_x ? i + by : i, along_x ? k : k + by, factor);
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

struct Depth {
  const Real* depth;
  RTSIM_HD Real operator()(Index c) const { return depth[c]; }
};
struct Least {
  RTSIM_HD Real operator()(Real a, Real b) const { return min(a, b); }
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
  const Advance advance{{flow, from}, Real(dt), to};
  parallel_tiles(ex, "shallow_water.step", advance.tiles(), flow.cells(), advance);
  Watch w = look(ex, flow, from);
  w.least_depth =
      reduce(ex, "shallow_water.watch", flow.cells(), Real(0), Depth{to.depth}, Least{});
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
