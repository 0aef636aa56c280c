#include <cstring>
#include <limits>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "lbm/rows.h"

namespace rtsim::lbm {

namespace {

using Eight = Lanes<Real>;
constexpr Index eight = Eight::size;
constexpr Index prefetch_bytes = 512;

inline Eight load_lanes(const Real* p) { return Eight::load(p); }
inline void store_lanes(Real* p, Eight v) { v.store(p); }

#if defined(__F16C__) && defined(__AVX2__) && !defined(RTSIM_DOUBLE)
inline Eight load_lanes(const Half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline void store_lanes(Half* p, Eight v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v.v, _MM_FROUND_TO_NEAREST_INT));
}
#else
inline Eight load_lanes(const Half* p) {
  Eight v;
  for (Index l = 0; l < eight; ++l) v.v[l] = load(p + l);
  return v;
}
inline void store_lanes(Half* p, Eight v) {
  for (Index l = 0; l < eight; ++l) store(p + l, v.v[l]);
}
#endif

// Eight cells side by side, or the first few of them: the slots behind belong to other cells.
template <bool whole>
struct Few {
  Index count;

  template <class Stored>
  Eight get(const Stored* p) const {
    if constexpr (whole) {
      if constexpr (sizeof(Stored) > 2)
        __builtin_prefetch(reinterpret_cast<const char*>(p) + prefetch_bytes, 1);
      return load_lanes(p);
    } else {
      Stored part[eight] = {};
      std::memcpy(part, p, std::size_t(count) * sizeof(Stored));
      return load_lanes(part);
    }
  }
  template <class Stored>
  void put(Stored* p, Eight v) const {
    if constexpr (whole) {
      store_lanes(p, v);
    } else {
      Stored part[eight];
      store_lanes(part, v);
      std::memcpy(p, part, std::size_t(count) * sizeof(Stored));
    }
  }
};

// Greatest (s u)^2 of a row, and whether all were below the limit.
struct Watch {
  Eight most = Eight(Real(0));
  bool sane = true;
};

template <int D, class Stored, bool forced, bool eddy>
struct Rows {
  RowStep<D, Stored> s;
  Stored* far[Lattice<D>::pairs];  // the slots along c_p, seen from the cell

  explicit Rows(const RowStep<D, Stored>& step) : s(step) {
    for (int p = 0; p < Lattice<D>::pairs; ++p)
      far[p] = s.bounce.f.far(p) + s.bounce.layout.template offset<D>(p);
  }

  void operator()(Index begin, Index end) const {
    for (Index row = begin; row < end; ++row) {
      Watch watch;
      for (Index k = s.walk.first_span[row]; k < s.walk.first_span[row + 1]; ++k)
        span(row, s.walk.spans[2 * k], s.walk.spans[2 * k + 1], watch);
      if (s.out.wanted) {
        Real most[eight];
        watch.most.store(most);
        for (Index l = 1; l < eight; ++l) most[0] = max(most[0], most[l]);
        s.row_speed2[row] = watch.sane ? most[0] : std::numeric_limits<Real>::infinity();
      }
      for (Index l = s.walk.first_link[row]; l < s.walk.first_link[row + 1]; ++l)
        s.bounce(s.walk.links[l]);
    }
  }

  [[gnu::flatten]] void span(Index row, Index x, Index end, Watch& watch) const {
    const Index start = s.bounce.layout.row_start(row), cell = row * s.bounce.layout.n[0];
    for (; x + eight <= end; x += eight) block(Few<true>{eight}, start + x, cell + x, watch);
    if (x < end) block(Few<false>{end - x}, start + x, cell + x, watch);
  }

  template <class Some>
  [[gnu::always_inline]] inline void block(const Some& some, Index n, Index cell,
                                           Watch& watch) const {
    using L = Lattice<D>;
    const Populations<D, Stored>& f = s.bounce.f;
    Eight rest = some.get(f.rest + n), plus[L::pairs], minus[L::pairs];
    unrolled<L::pairs>([&](auto p) {
      plus[p] = some.get(f.near(p) + n);
      minus[p] = some.get(far[p] + n);
    });
    const Moments<D, Eight> m = collide<D, forced, eddy>(s.bounce.law, rest, plus, minus);
    some.put(f.rest + n, rest);
    unrolled<L::pairs>([&](auto p) {
      some.put(far[p] + n, plus[p]);
      some.put(f.near(p) + n, minus[p]);
    });
    if (s.out.wanted) write(some.count, cell, m, watch);
  }

  [[gnu::noinline]] void write(Index count, Index cell, const Moments<D, Eight>& m,
                               Watch& watch) const {
    Eight square = m.u[0] * m.u[0];
    for (int a = 1; a < D; ++a) square = square + m.u[a] * m.u[a];
    const unsigned all = (1u << count) - 1;
    watch.sane = watch.sane && (less(square, Eight(s.out.speed2_limit)) & all) == all;
    Real density[eight], u[D][eight], squares[eight];
    (Eight(s.out.to_pressure) * m.density).store(density);
    for (int a = 0; a < D; ++a) (Eight(s.out.to_velocity) * m.u[a]).store(u[a]);
    if (count < eight) {  // lanes without a cell
      square.store(squares);
      for (Index l = count; l < eight; ++l) squares[l] = 0;
      square = Eight::load(squares);
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
                  Rows<D, Stored, forced, eddy>(step));
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
