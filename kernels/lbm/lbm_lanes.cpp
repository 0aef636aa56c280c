#include <limits>

#include "exec/parallel.h"
#include "lanes/wide_lanes.h"
#include "lbm/rows.h"
#include "lbm/storage_lanes.h"

namespace rtsim::lbm {

namespace {

using Wide = WideLanes;
constexpr Index wide = Wide::size;

// Greatest (s u)^2 of a row, and whether all were below the limit.
struct Watch {
  Wide most = Wide(Real(0));
  bool sane = true;
};

// The arrays seen from a cell; in the machine's registers and stack, where stores cannot change
// them.
template <int D, class Stored>
struct Streams {
  static constexpr int count = Lattice<D>::directions;
  Stored* at[count];

  Streams(const Layout& layout, const Populations<D, Stored>& f) {
    for (int p = 0; p < Lattice<D>::pairs; ++p) {
      at[2 * p] = f.near(p);
      at[2 * p + 1] = f.far(p) + layout.template offset<D>(p);
    }
    at[count - 1] = f.rest;
  }
  Stored* near(int p) const { return at[2 * p]; }
  Stored* far(int p) const { return at[2 * p + 1]; }
  Stored* rest() const { return at[count - 1]; }

  // There are more streams than the processor follows by itself. Each is asked for once a cache
  // line, a few of them at each block of cells.
  void fetch_ahead(Index n) const {
    constexpr Index line = 64 / sizeof(Stored), ahead = 8 * line;
    constexpr int blocks = line > wide ? int(line / wide) : 1;
    const int turn = int(n / wide) % blocks;
    unrolled<blocks>([&](auto b) {
      if (turn == b)
        unrolled<(count - b + blocks - 1) / blocks>(
            [&](auto k) { __builtin_prefetch(at[b + blocks * k] + n + ahead, 1); });
    });
  }
};

template <int D, class Stored, bool forced, bool eddy>
struct Rows {
  RowStep<D, Stored> s;

  void operator()(Index begin, Index end) const {
    const Streams<D, Stored> streams(s.bounce.layout, s.bounce.f);
    for (Index row = begin; row < end; ++row) {
      s.out.wanted ? cells<true>(streams, row) : cells<false>(streams, row);
      const Bounce<D, Stored> bounce = s.bounce;
      const Index end_link = s.walk.first_link[row + 1];
      for (Index l = s.walk.first_link[row]; l < end_link; ++l) bounce(s.walk.links[l]);
    }
  }

  template <bool wanted>
  void cells(const Streams<D, Stored>& streams, Index row) const {
    Watch watch;
    for (Index k = s.walk.first_span[row]; k < s.walk.first_span[row + 1]; ++k)
      span<wanted>(streams, row, s.walk.spans[2 * k], s.walk.spans[2 * k + 1], watch);
    if constexpr (wanted) {
      Real most[wide];
      watch.most.store(most);
      for (Index l = 1; l < wide; ++l) most[0] = max(most[0], most[l]);
      s.row_speed2[row] = watch.sane ? most[0] : std::numeric_limits<Real>::infinity();
    }
  }

  // Copies of the law and of the pointers are known to stay as they are.
  template <bool wanted>
  [[gnu::flatten, gnu::noinline]] void span(Streams<D, Stored> streams, Index row, Index x,
                                            Index end, Watch& watch) const {
    const Law<D> law = s.bounce.law;
    const Index start = s.bounce.layout.row_start(row), cell = row * s.bounce.layout.n[0];
    for (; x + wide <= end; x += wide) {
      streams.fetch_ahead(start + x);
      block<wanted>(streams, law, Few<true>{wide}, start + x, cell + x, watch);
    }
    if (x < end) block<wanted>(streams, law, Few<false>{end - x}, start + x, cell + x, watch);
  }

  template <bool wanted, class Some>
  [[gnu::always_inline]] inline void block(const Streams<D, Stored>& f, const Law<D>& law,
                                           const Some& some, Index n, Index cell,
                                           Watch& watch) const {
    using L = Lattice<D>;
    Wide rest = some.get(f.rest() + n), plus[L::pairs], minus[L::pairs];
    unrolled<L::pairs>([&](auto p) {
      plus[p] = some.get(f.near(p) + n);
      minus[p] = some.get(f.far(p) + n);
    });
    const Moments<D, Wide> m = collide<D, forced, eddy>(law, rest, plus, minus);
    some.put(f.rest() + n, rest, chance_of(law.step, 2 * L::pairs), n);
    unrolled<L::pairs>([&](auto p) {
      some.put(f.far(p) + n, plus[p], chance_of(law.step, 2 * p + 1), n);
      some.put(f.near(p) + n, minus[p], chance_of(law.step, 2 * p), n);
    });
    if constexpr (wanted) write(some.count, cell, m, watch);
  }

  [[gnu::noinline]] void write(Index count, Index cell, const Moments<D, Wide>& m,
                               Watch& watch) const {
    Wide square = m.u[0] * m.u[0];
    for (int a = 1; a < D; ++a) square = square + m.u[a] * m.u[a];
    const unsigned all = (1u << count) - 1;
    watch.sane = watch.sane && (less(square, Wide(s.out.speed2_limit)) & all) == all;
    Real density[wide], u[D][wide], squares[wide];
    (Wide(s.out.to_pressure) * m.density).store(density);
    for (int a = 0; a < D; ++a) (Wide(s.out.to_velocity) * m.u[a]).store(u[a]);
    if (count < wide) {  // lanes without a cell
      square.store(squares);
      for (Index l = count; l < wide; ++l) squares[l] = 0;
      square = Wide::load(squares);
    }
    watch.most = max(square, watch.most);
    Real* pressure = s.out.pressure.data + cell;
    Vec<D>* velocity = s.out.velocity.data + cell;
    for (Index l = 0; l < count; ++l) {
      pressure[l] = density[l];
      for (int a = 0; a < D; ++a) velocity[l][a] = u[a][l];
    }
  }
};

}  // namespace

template <int D, class Stored, bool forced, bool eddy>
void step_rows(const Exec& ex, const RowStep<D, Stored>& step) {
  const Layout& layout = step.bounce.layout;
  const Index cells_per_chunk = 16384;
  parallel_chunks(ex, "lbm.step", layout.rows(), (cells_per_chunk + layout.n[0] - 1) / layout.n[0],
                  Rows<D, Stored, forced, eddy>{step});
}

#define RTSIM_LBM_ROWS(D, Stored)                                                           \
  template void step_rows<D, Stored, false, false>(const Exec&, const RowStep<D, Stored>&); \
  template void step_rows<D, Stored, false, true>(const Exec&, const RowStep<D, Stored>&);  \
  template void step_rows<D, Stored, true, false>(const Exec&, const RowStep<D, Stored>&);  \
  template void step_rows<D, Stored, true, true>(const Exec&, const RowStep<D, Stored>&);
RTSIM_LBM_ROWS(2, Real)
RTSIM_LBM_ROWS(3, Real)
RTSIM_LBM_ROWS(2, Half)
RTSIM_LBM_ROWS(3, Half)
#undef RTSIM_LBM_ROWS

}  // namespace rtsim::lbm
