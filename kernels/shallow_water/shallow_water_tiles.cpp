#include <cmath>
#include <vector>

#include "exec/parallel.h"
#include "shallow_water/friction.h"
#include "shallow_water/sweep.h"
#include "shallow_water/tiles.h"

namespace rtsim::shallow_water {

namespace {

Index wrapped(Index i, Index n) { return ((i % n) + n) % n; }
Index clamped(Index i, Index n) { return i < 0 ? 0 : (i < n ? i : n - 1); }
Index smaller(Index a, Index b) { return a < b ? a : b; }

// A step on one tile. The halo is worked on by its neighbours as well, with the same bits.
class Tile {
 public:
  Tile(const Flow& flow, Real dt, const Columns& from, const Columns& to, Index x, Index z)
      : flow_(flow),
        from_(from),
        to_(to),
        dt_(dt),
        x0_(x),
        z0_(z),
        n_(smaller(tile_x, flow.nx - x)),
        sweep_(n_, dt / flow.spacing, flow.g) {}

  Watch run() {
    const Index end = smaller(z0_ + tile_z, flow_.nz) + reach;
    for (Index k = z0_ - reach; k < end; ++k) {
      load(k, sweep_.next());
      if (sweep_.push(ahead(k))) finish(k - reach);
    }
    Watch w;
    for (Index i = pad; i < pad + n_; ++i)
      w = worse(w, {met_.speed[i], met_.least[i], met_.sum[i]});
    return w;
  }

 private:
  Ahead ahead(Index k) const {
    const Index in = x0_ + flow_.nx * clamped(k + 1, flow_.nz),
                out = x0_ + flow_.nx * clamped(k + 1 - reach, flow_.nz);
    return {{from_.depth + in, from_.bed + in, from_.discharge_x + in, from_.discharge_z + in},
            {to_.depth + out, to_.discharge_x + out, to_.discharge_z + out}};
  }

  // Line k, or what lies there beyond an edge.
  void load(Index k, Line& l) const {
    if (flow_.periodic_z || (k >= 0 && k < flow_.nz)) return read(wrapped(k, flow_.nz), l);
    const bool low = k < 0;
    const Index layer = low ? -1 - k : k - flow_.nz;
    Line inner, mirror;
    read(low ? 0 : flow_.nz - 1, inner);
    read(clamped(low ? layer : flow_.nz - 1 - layer, flow_.nz), mirror);
    beyond_z(low, inner, mirror, l);
  }

  void read(Index k, Line& l) const {
    const Index row = flow_.nx * k, first = row + x0_, whole = n_ - n_ % lane_count;
    for (Index i = 0; i < whole; i += lane_count) {
      const Index c = first + i;
      complete(l, pad + i, Wide::load(from_.depth + c), Wide::load(from_.bed + c),
               Wide::load(from_.discharge_x + c), Wide::load(from_.discharge_z + c));
    }
    complete_ends(l, row, whole);
    if (!flow_.periodic_x) beyond_x(l, k);
  }

  // What follows from the state of cells; in water less deep than `dry` the discharge becomes what
  // its velocity carries.
  void complete(Line& l, Index i, Wide h, Wide b, Wide qx, Wide qz) const {
    const Wide g = flow_.g, dry = flow_.dry, f = over_depth(h, dry), u = qx * f, v = qz * f;
    h.store(l.h + i), (h + b).store(l.w + i), root(g * h).store(l.c + i);
    u.store(l.u + i), v.store(l.v + i);
    select_less(h, dry, h * u, qx).store(l.qx + i);
    select_less(h, dry, h * v, qz).store(l.qz + i);
  }

  // Those before the first and from `whole` on, up to `reach` beyond the tile.
  void complete_ends(Line& l, Index row, Index whole) const {
    Real h[lane_count], b[lane_count], qx[lane_count], qz[lane_count];
    const auto block = [&](Index begin, Index end) {
      for (Index i = begin; i < begin + lane_count; ++i) {
        const Index x = x0_ + smaller(i < -reach ? -reach : i, end - 1),
                    c = row + (flow_.periodic_x ? wrapped(x, flow_.nx) : clamped(x, flow_.nx)),
                    to = i - begin;
        h[to] = from_.depth[c], b[to] = from_.bed[c];
        qx[to] = from_.discharge_x[c], qz[to] = from_.discharge_z[c];
      }
      complete(l, pad + begin, Wide::load(h), Wide::load(b), Wide::load(qx), Wide::load(qz));
    };
    block(-lane_count, 0);
    for (Index i = whole; i < n_ + reach; i += lane_count) block(i, n_ + reach);
  }

  // Writes the columns of a line that lie beyond an edge.
  void beyond_x(Line& l, Index k) const {
    for (Index layer = 0; layer < reach; ++layer) {
      set_beyond_x(l, k, 0, -1 - layer, 0, layer, 1);
      set_beyond_x(l, k, 1, flow_.nx + layer, flow_.nx - 1, flow_.nx - 1 - layer, -1);
    }
  }

  void set_beyond_x(Line& l, Index k, int edge, Index x, Index inner, Index mirror,
                    Real inward) const {
    if (x < x0_ - reach || x >= x0_ + n_ + reach) return;
    const auto cell = [&](Index at) -> Beyond {
      const Index m = pad + clamped(at, flow_.nx) - x0_;
      return {l.h[m], l.w[m] - l.h[m], inward * l.u[m], l.v[m]};
    };
    const Beyond g = beyond(flow_.edge[edge], k, cell(inner), cell(mirror), flow_.g);
    set(l, pad + x - x0_, {g.h, g.b, inward * g.n, g.t});
  }

  void beyond_z(bool low, const Line& inner, const Line& mirror, Line& out) const {
    const Real inward = low ? Real(1) : Real(-1);
    const auto cell = [&](const Line& l, Index i) -> Beyond {
      return {l.h[i], l.w[i] - l.h[i], inward * l.v[i], l.u[i]};
    };
    for (Index i = pad - reach; i < pad + n_ + reach; ++i) {
      const Beyond g = beyond(flow_.edge[low ? 2 : 3], clamped(x0_ + i - pad, flow_.nx),
                              cell(inner, i), cell(mirror, i), flow_.g);
      set(out, i, {g.h, g.b, g.t, inward * g.n});
    }
  }

  void set(Line& l, Index i, const Water& q) const {
    l.h[i] = q.h, l.w[i] = q.h + q.b, l.u[i] = q.u, l.v[i] = q.v;
    l.c[i] = std::sqrt(flow_.g * q.h);
  }

  void finish(Index k) {
    const Line& __restrict l = sweep_.done();
    const Rate& __restrict r = sweep_.rate();
    const Index first = x0_ + flow_.nx * k;
    Real* __restrict h = to_.depth + first, * __restrict qx = to_.discharge_x + first, * __restrict qz = to_.discharge_z + first;
    const Real f = dt_ / flow_.spacing, rain = dt_ * flow_.rain;
    for (Index i = 0; i < n_; ++i) {
      const Index p = pad + i;
      h[i] = std::fma(f, r.h[p], l.h[p]) + rain;
      qx[i] = std::fma(f, r.qx[p], l.qx[p]);
      qz[i] = std::fma(f, r.qz[p], l.qz[p]);
      const Real s = std::abs(l.u[p]) + std::abs(l.v[p]) + 2 * l.c[p];
      met_.speed[p] = max(s, met_.speed[p]);
      met_.sum[p] = met_.sum[p] + s;
      met_.least[p] = min(h[i], met_.least[p]);
    }
    if (flow_.roughness > 0) apply_friction(l, qx, qz);
  }

  void apply_friction(const Line& __restrict l, Real* __restrict qx, Real* __restrict qz) const {
    const Real strength = dt_ * flow_.roughness;
    for (Index i = 0; i < n_; ++i) {
      const Index p = pad + i;
      const Real left = left_by_friction(strength, l.h[p], l.u[p], l.v[p], flow_.dry);
      qx[i] *= left, qz[i] *= left;
    }
  }

  struct alignas(64) Met {
    Row speed, least, sum;
  };

  const Flow& flow_;
  const Columns& from_;
  const Columns& to_;
  Real dt_;
  Index x0_, z0_, n_;
  Sweep sweep_;
  Met met_ = {};
};

}  // namespace

Watch step_tiles(const Exec& ex, const Flow& flow, double dt, const Columns& from,
                 const Columns& to) {
  const Index across = (flow.nx + tile_x - 1) / tile_x, along = (flow.nz + tile_z - 1) / tile_z;
  std::vector<Watch> met(std::size_t(across) * std::size_t(along));
  parallel_chunks(ex, "shallow_water.step", across * along, 1, [&](Index begin, Index) {
    Tile tile(flow, Real(dt), from, to, begin % across * tile_x, begin / across * tile_z);
    met[std::size_t(begin)] = tile.run();
  });
  Watch all;
  for (const Watch& w : met) all = worse(all, w);
  return all;
}

}  // namespace rtsim::shallow_water
