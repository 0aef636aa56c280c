#include "shallow_water/traced.h"

#include <cmath>

#include "exec/parallel.h"

namespace rtsim::shallow_water {

namespace {

RTSIM_HD Real clamped(Real x, Index n) { return max(0, min(x, Real(n - 1))); }

// Linear between the values of an n by m array at (x, z) in numbers; beyond its ends the nearest.
RTSIM_HD Real interpolate(const Real* values, Index n, Index m, Real x, Real z) {
  const Real u = clamped(x, n), v = clamped(z, m);
  const Index i = Index(u), k = Index(v), right = i < n - 1 ? 1 : 0, up = k < m - 1 ? n : 0;
  const Real f = u - Real(i), *at = values + i + n * k;
  const Real low = at[0] + f * (at[right] - at[0]), high = at[up] + f * (at[up + right] - at[up]);
  return low + (v - Real(k)) * (high - low);
}

struct Place {
  Real x, z;  // in cells; a centre has whole numbers
};

struct View {
  Staggered grid;
  Faces at;

  RTSIM_HD Real u(const Place& p) const {
    return interpolate(at.u, grid.nx + 1, grid.nz, p.x + Real(0.5), p.z);
  }
  RTSIM_HD Real v(const Place& p) const {
    return interpolate(at.v, grid.nx, grid.nz + 1, p.x, p.z + Real(0.5));
  }
  RTSIM_HD Real depth(const Place& p) const {
    return interpolate(at.depth, grid.nx, grid.nz, p.x, p.z);
  }
};

// s'(x) = s(x - dt v(x)): one array of the three; the speeds are those of the start.
struct Trace {
  enum class What { depth, u, v };
  View from;
  Real cells_per_speed;  // dt / spacing
  What what;
  Real* to;

  RTSIM_HD void operator()(Index c) const {
    const Index n = what == What::u ? from.grid.nx + 1 : from.grid.nx;
    Place p{Real(c % n), Real(c / n)};
    if (what == What::u) p.x -= Real(0.5);
    if (what == What::v) p.z -= Real(0.5);
    const Place back{p.x - cells_per_speed * from.u(p), p.z - cells_per_speed * from.v(p)};
    to[c] = what == What::depth ? from.depth(back) : what == What::u ? from.u(back) : from.v(back);
  }
};

// depth -= depth div v dt, within the edges that absorb.
struct Rise {
  Staggered grid;
  Real cells_per_speed;
  Faces at;

  RTSIM_HD void operator()(Index c) const {
    const Index i = c % grid.nx, k = c / grid.nx, left = i + (grid.nx + 1) * k;
    const Real out = at.u[left + 1] - at.u[left] + at.v[c + grid.nx] - at.v[c];
    at.depth[c] = max(0, at.depth[c] - at.depth[c] * cells_per_speed * out);
  }
};

// h(0)' = (dx h(0) + dt c(1) h(1)') / (dx + dt c(1)) for the surface h of cells along an edge,
// where h(0) is the one before the step: Higdon 1994, first order, as in eq. 11.7.
struct Absorb {
  Staggered grid;
  Real cells_per_speed;
  const Real* before;
  Faces at;
  int edge;

  RTSIM_HD void operator()(Index j) const {
    const bool along_z = edge < 2, high = edge % 2 == 1;
    const Index n = along_z ? grid.nx : grid.nz, last = high ? n - 1 : 0, next = high ? n - 2 : 1;
    if (n < 2) return;
    const Index c = along_z ? last + grid.nx * j : j + grid.nx * last,
                in = along_z ? next + grid.nx * j : j + grid.nx * next;
    const Real way = cells_per_speed * std::sqrt(grid.g * at.depth[in]);
    const Real inner = at.bed[in] + at.depth[in], outer = at.bed[c] + before[c];
    at.depth[c] = max(0, outer + way / (1 + way) * (inner - outer) - at.bed[c]);
  }
};

// v += g dt (h_below - h_above) / dx across a face within. Nothing flows between dry cells, nor
// from water onto dry ground that stands higher.
struct Push {
  Staggered grid;
  Real kick;  // g dt / spacing
  Faces at;
  int axis;

  RTSIM_HD void operator()(Index f) const {
    const Index n = axis == 0 ? grid.nx + 1 : grid.nx, i = f % n, k = f / n;
    const Index here = axis == 0 ? i : k, cells = axis == 0 ? grid.nx : grid.nz;
    Real* speed = axis == 0 ? at.u : at.v;
    if (here == 0 || here == cells) return;  // the edges have their own
    const Index c = i + grid.nx * k, below = axis == 0 ? c - 1 : c - grid.nx;
    const Real w_below = at.bed[below] + at.depth[below], w = at.bed[c] + at.depth[c];
    const bool dry_below = at.depth[below] <= grid.dry, dry = at.depth[c] <= grid.dry;
    if ((dry_below && dry) || (dry && w >= w_below) || (dry_below && w_below >= w))
      speed[f] = 0;
    else
      speed[f] += kick * (w_below - w);
  }
};

// Walls have no speed across; an edge that absorbs has that of the next face.
struct EdgeSpeed {
  Staggered grid;
  Faces at;
  int edge;

  RTSIM_HD void operator()(Index j) const {
    const bool along_z = edge < 2, high = edge % 2 == 1;
    const Index n = along_z ? grid.nx : grid.nz, step = along_z ? 1 : grid.nx,
                first = along_z ? (grid.nx + 1) * j : j, f = first + (high ? n * step : 0);
    Real* speed = along_z ? at.u : at.v;
    speed[f] = grid.absorbing[edge] ? speed[high ? f - step : f + step] : Real(0);
  }
};

struct Discharge {
  Staggered grid;
  Faces at;
  Span<Real> x, z;
  RTSIM_HD void operator()(Index c) const {
    const Index left = c % grid.nx + (grid.nx + 1) * (c / grid.nx);
    const Real h = at.depth[c];
    x[c] = h * Real(0.5) * (at.u[left] + at.u[left + 1]);
    z[c] = h * Real(0.5) * (at.v[c] + at.v[c + grid.nx]);
  }
};

struct FillRatio {
  Index nx, nz;
  Real least;
  Span<const Real> bed, depth;
  Span<Real> ratio;

  RTSIM_HD void operator()(Index c) const {
    const Index i = c % nx, k = c / nx;
    const Index next[4] = {i > 0 ? c - 1 : c, i < nx - 1 ? c + 1 : c, k > 0 ? c - nx : c,
                           k < nz - 1 ? c + nx : c};
    Real low = bed[next[0]], high = low, deep = depth[next[0]];
    for (const Index n : next)
      low = min(low, bed[n]), high = max(high, bed[n]), deep = max(deep, depth[n]);
    low = Real(0.5) * (bed[c] + low), high = Real(0.5) * (bed[c] + high) + least;
    deep = Real(0.5) * (depth[c] + deep);
    const Real w = bed[c] + depth[c];
    ratio[c] = deep < least ? Real(0) : max(0, min(1, (w - low) / (high - low)));
  }
};

}  // namespace

void traced_step(const Exec& ex, const Staggered& g, double dt, const Faces& from,
                 const Faces& to) {
  const Real way = Real(dt) / g.spacing;
  const Index faces_x = (g.nx + 1) * g.nz, faces_z = g.nx * (g.nz + 1);
  const View view{g, from};
  parallel_for(ex, "shallow_water.trace", g.cells(),
               Trace{view, way, Trace::What::depth, to.depth});
  parallel_for(ex, "shallow_water.trace", faces_x, Trace{view, way, Trace::What::u, to.u});
  parallel_for(ex, "shallow_water.trace", faces_z, Trace{view, way, Trace::What::v, to.v});
  parallel_for(ex, "shallow_water.rise", g.cells(), Rise{g, way, to});
  for (int e = 0; e < 4; ++e)
    if (g.absorbing[e])
      parallel_for(ex, "shallow_water.edges", e < 2 ? g.nz : g.nx,
                   Absorb{g, way, from.depth, to, e});
  parallel_for(ex, "shallow_water.push", faces_x, Push{g, g.g * way, to, 0});
  parallel_for(ex, "shallow_water.push", faces_z, Push{g, g.g * way, to, 1});
  for (int e = 0; e < 4; ++e)
    parallel_for(ex, "shallow_water.edges", e < 2 ? g.nz : g.nx, EdgeSpeed{g, to, e});
}

void discharges(const Exec& ex, const Staggered& g, const Faces& at, Span<Real> x, Span<Real> z) {
  parallel_for(ex, "shallow_water.discharge", g.cells(), Discharge{g, at, x, z});
}

void fill_ratio(const Exec& ex, Index nx, Index nz, Real least, Span<const Real> bed,
                Span<const Real> depth, Span<Real> ratio) {
  parallel_for(ex, "shallow_water.fill", nx * nz, FillRatio{nx, nz, least, bed, depth, ratio});
}

}  // namespace rtsim::shallow_water
