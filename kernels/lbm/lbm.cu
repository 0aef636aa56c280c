#include "lbm/lbm.h"

#include <limits>

#include "exec/parallel.h"
#include "lbm/links.h"
#include "lbm/obstacle_links.h"
#include "lbm/rows.h"

namespace rtsim::lbm {

namespace {

constexpr Real lost = std::numeric_limits<Real>::infinity();  // the square of a speed that is NaN

template <int D, class Stored>
struct Start {
  Layout layout;
  Law<D> law;
  Populations<D, Stored> f;
  Span<const std::uint8_t> solid;
  Output<D> out;

  RTSIM_HD void operator()(Index cell) const {
    using L = Lattice<D>;
    const Index n = layout.slot_of(cell);
    if (solid[n]) return;
    Moments<D, Real> m{out.pressure[cell] / out.to_pressure, {}};
    for (int a = 0; a < D; ++a)
      m.u[a] = out.velocity[cell][a] / out.to_velocity + Real(0.5) * law.force[a];
    Real rest, plus[L::pairs], minus[L::pairs];
    equilibrium<D>(law, m, rest, plus, minus);
    store(f.rest + n, rest);
    unrolled<L::pairs>([&](auto p) {
      store(f.far(p) + n + layout.offset<D>(p), plus[p]);
      store(f.near(p) + n, minus[p]);
    });
  }
};

// The device's body: one cell.
template <int D, class Stored, bool forced, bool eddy>
struct StepCell {
  Layout layout;
  Law<D> law;
  Populations<D, Stored> f;
  Span<const std::uint8_t> solid;
  Output<D> out;

  RTSIM_HD void operator()(Index cell) const {
    using L = Lattice<D>;
    const Index n = layout.slot_of(cell);
    if (solid[n]) return;
    Real rest = load(f.rest + n), plus[L::pairs], minus[L::pairs];
    unrolled<L::pairs>([&](auto p) {
      plus[p] = load(f.near(p) + n);
      minus[p] = load(f.far(p) + n + layout.offset<D>(p));
    });
    const Moments<D, Real> m = collide<D, forced, eddy>(law, rest, plus, minus);
    store(f.rest + n, rest, chance(chance_of(law.step, 2 * L::pairs), n));
    unrolled<L::pairs>([&](auto p) {
      store(f.far(p) + n + layout.offset<D>(p), plus[p], chance(chance_of(law.step, 2 * p + 1), n));
      store(f.near(p) + n, minus[p], chance(chance_of(law.step, 2 * p), n));
    });
    if (!out.wanted) return;
    out.pressure[cell] = out.to_pressure * m.density;
    for (int a = 0; a < D; ++a) out.velocity[cell][a] = out.to_velocity * m.u[a];
  }
};

template <int D>
struct RowSpeed {
  Layout layout;
  Output<D> out;
  Span<Real> row_speed2;

  RTSIM_HD void operator()(Index row) const {
    Real most = 0;
    bool sane = true;
    for (Index x = 0; x < layout.n[0]; ++x) {
      const Vec<D> u = out.velocity[row * layout.n[0] + x];
      Real square = 0;
      for (int a = 0; a < D; ++a) {
        const Real s = u[a] / out.to_velocity;
        square += s * s;
      }
      sane = sane && square < out.speed2_limit;
      most = square > most ? square : most;
    }
    row_speed2[row] = sane ? most : lost;
  }
};

template <int D, class Stored>
struct FollowLink {
  Bounce<D, Stored> bounce;
  Span<const Link> links;

  RTSIM_HD void operator()(Index i) const { bounce(links[i]); }
};

template <int D, class Stored>
struct Pass {
  Populations<D, Stored> f;
  Span<const Passage> passages;

  RTSIM_HD void operator()(Index i) const {
    const Passage& way = passages[i];
    f.array[way.to_array][way.to] = f.array[way.from_array][way.from];
  }
};

template <int D, class Stored>
struct Show {
  Bounce<D, Stored> cell;
  Span<const std::uint8_t> solid;
  Output<D> out;

  RTSIM_HD void operator()(Index i) const {
    const Index n = cell.layout.slot_of(i);
    if (solid[n]) return;
    const Moments<D, Real> m = cell.at(n);
    out.pressure[i] = out.to_pressure * m.density;
    for (int a = 0; a < D; ++a) out.velocity[i][a] = out.to_velocity * m.u[a];
  }
};

// After all rows: periodic and slip faces, then obstacles, which look at what comes in.
template <int D, class Stored>
void pass_all(const Exec& ex, const Bounce<D, Stored>& b, const Walk& walk) {
  parallel_for(ex, "lbm.passages", walk.passages.size, Pass<D, Stored>{b.f, walk.passages});
  bend_links(ex, b.layout, b.law, b.f, walk.obstacles);
}

template <int D, class Stored, bool forced, bool eddy>
void step_as(const Exec& ex, const Layout& layout, const Law<D>& law,
             const Populations<D, Stored>& f, Span<const std::uint8_t> solid, const Walk& walk,
             const Drive& drive, const Output<D>& out, Span<Real> row_speed2) {
  const Bounce<D, Stored> bounce{layout, law, f, drive};
  if (ex.cpu_shaped()) {
    step_rows<D, Stored, forced, eddy>(ex, {bounce, walk, out, row_speed2});
  } else {
    parallel_for(ex, "lbm.step", layout.cells(),
                 StepCell<D, Stored, forced, eddy>{layout, law, f, solid, out});
    if (out.wanted)
      parallel_for(ex, "lbm.watch", layout.rows(), RowSpeed<D>{layout, out, row_speed2});
    parallel_for(ex, "lbm.links", walk.links.size, FollowLink<D, Stored>{bounce, walk.links});
  }
  pass_all(ex, bounce, walk);
}

}  // namespace

template <int D, class Stored>
void start(const Exec& ex, const Layout& layout, const Law<D>& law, const Populations<D, Stored>& f,
           Span<const std::uint8_t> solid, const Output<D>& out) {
  parallel_for(ex, "lbm.start", layout.cells(), Start<D, Stored>{layout, law, f, solid, out});
}

template <int D, class Stored>
void step(const Exec& ex, const Layout& layout, const Law<D>& law, const Populations<D, Stored>& f,
          Span<const std::uint8_t> solid, const Walk& walk, const Drive& drive,
          const Output<D>& out, Span<Real> row_speed2) {
  bool forced = false;
  for (const Real component : law.force) forced = forced || component != 0;
  const auto body =
      forced ? (law.eddy > 0 ? step_as<D, Stored, true, true> : step_as<D, Stored, true, false>)
             : (law.eddy > 0 ? step_as<D, Stored, false, true> : step_as<D, Stored, false, false>);
  body(ex, layout, law, f, solid, walk, drive, out, row_speed2);
}

template <int D, class Stored>
void bend_links(const Exec& ex, const Layout& layout, const Law<D>& law,
                const Populations<D, Stored>& f, const ObstacleLinks& obstacles) {
  for (const ObstacleLinks::Region& r : obstacles.regions) {
    if (r.begin == r.end) continue;
    Bend<D, Stored> bend{layout, law, f, {obstacles.links.data + r.begin, r.end - r.begin}, 0};
    const double excess =
        reduce(ex, "lbm.obstacles", bend.links.size, 0.0, Excess<D, Stored>{bend}, Plus{});
    bend.off = Real((excess - r.owed) / r.weight);
    parallel_for(ex, "lbm.obstacles", bend.links.size, bend);
  }
}

template <int D, class Stored>
void link_all(const Exec& ex, const Layout& layout, const Law<D>& law,
              const Populations<D, Stored>& f, const Walk& walk, const Drive& drive) {
  const Bounce<D, Stored> bounce{layout, law, f, drive};
  parallel_for(ex, "lbm.links", walk.links.size, FollowLink<D, Stored>{bounce, walk.links});
  pass_all(ex, bounce, walk);
}

template <int D, class Stored>
void show(const Exec& ex, const Layout& layout, const Law<D>& law,
          const Populations<D, Stored>& last, Span<const std::uint8_t> solid,
          const Output<D>& out) {
  parallel_for(ex, "lbm.show", layout.cells(),
               Show<D, Stored>{{layout, law, last, {}}, solid, out});
}

Real greatest(const Exec& ex, Span<const Real> values) {
  return reduce(ex, "lbm.watch", values.size, Real(0), detail::Load<Real>{values.data}, Max{});
}

#define RTSIM_LBM(D, Stored)                                                                   \
  template void start<D, Stored>(const Exec&, const Layout&, const Law<D>&,                    \
                                 const Populations<D, Stored>&, Span<const std::uint8_t>,      \
                                 const Output<D>&);                                            \
  template void step<D, Stored>(const Exec&, const Layout&, const Law<D>&,                     \
                                const Populations<D, Stored>&, Span<const std::uint8_t>,       \
                                const Walk&, const Drive&, const Output<D>&, Span<Real>);      \
  template void link_all<D, Stored>(const Exec&, const Layout&, const Law<D>&,                 \
                                    const Populations<D, Stored>&, const Walk&, const Drive&); \
  template void bend_links<D, Stored>(const Exec&, const Layout&, const Law<D>&,               \
                                      const Populations<D, Stored>&, const ObstacleLinks&);    \
  template void show<D, Stored>(const Exec&, const Layout&, const Law<D>&,                     \
                                const Populations<D, Stored>&, Span<const std::uint8_t>,       \
                                const Output<D>&);
RTSIM_LBM(2, Real)
RTSIM_LBM(3, Real)
RTSIM_LBM(2, Half)
RTSIM_LBM(3, Half)
#undef RTSIM_LBM

}  // namespace rtsim::lbm
