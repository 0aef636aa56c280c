#include <initializer_list>

#include "exec/parallel.h"
#include "lbm/momentum_exchange.h"
#include "lbm/stretches.h"

namespace rtsim::lbm {

namespace {

template <int D>
struct SideBySide : Beside<D> {
  using Beside<D>::at, Beside<D>::flow, Beside<D>::cell;
  using Beside<D>::Beside;

  // Whether the next `count` cells, and all beside them, are fluid inside of the grid: ghosts are
  // solid.
  template <Index count>
  bool open() const {
    const Layout& l = flow.layout;
    const std::uint8_t* solid = flow.solid.data + l.slot(at[0], at[1], at[2]);
    unsigned any = solid[-1] | solid[count];
    for (const Index beside : {-l.pitch, Index(0), l.pitch})
      for (Index k = 0; k < count; ++k) any |= solid[beside + k];
    if (D == 3)
      for (const Index beside : {-l.plane, l.plane})
        for (Index k = 0; k < count; ++k) any |= solid[beside + k];
    return !any;
  }

  // Their curls, in loops without a choice, which become vectors.
  template <Index count>
  void open_curls(Curl<D> (&out)[count]) const {
    constexpr int numbers = count * D;
    const Vec<D>* here = flow.velocity.data + cell(at);
    const Index step[3] = {1, flow.layout.n[0], flow.layout.n[0] * flow.layout.n[1]};
    const Real scale = 1 / (2 * flow.spacing);
    Real d[D][numbers];
    for (int a = 0; a < D; ++a) {
      const Real *low = here[-step[a]].c, *high = here[step[a]].c;
      for (int k = 0; k < numbers; ++k) d[a][k] = scale * (high[k] - low[k]);
    }
    for (int k = 0; k < numbers; k += D)
      if constexpr (D == 2)
        out[k / D] = d[0][k + 1] - d[1][k];
      else
        out[k / D] = {{d[1][k + 2] - d[2][k + 1], d[2][k] - d[0][k + 2], d[0][k + 1] - d[1][k]}};
  }

  // visit(cell, curl) for each fluid cell of the stretch.
  template <class Visit>
  void for_fluid(const Visit& visit) {
    if (open<stretch>()) {
      Curl<D> curls[stretch];
      open_curls(curls);
      for (Index k = 0; k < stretch; ++k) visit(cell(at) + k, curls[k]);
      return;
    }
    for (const Index end = this->end(); at[0] < end; ++at[0]) {
      if (!this->fluid()) continue;
      Curl<D> curl[1];
      if (open<1>())
        open_curls(curl);
      else
        curl[0] = this->curl();
      visit(cell(at), curl[0]);
    }
  }
};

template <int D>
struct TotalsOf {
  StretchTotals<D> one_by_one;

  Totals<D> operator()(Index number) const {
    Totals<D> t;
    SideBySide<D> here(one_by_one.flow, number);
    here.for_fluid(
        [&](Index cell, const Curl<D>& curl) { one_by_one.add(t, here.at, cell, curl); });
    return t;
  }
};

template <int D>
struct CurlOf {
  Flow<D> flow;
  Span<Curl<D>> curl;

  void operator()(Index number) const {
    SideBySide<D> here(flow, number);
    for (Index c = here.cell(here.at), end = c + here.end() - here.at[0]; c < end; ++c)
      curl[c] = {};
    here.for_fluid([&](Index cell, const Curl<D>& c) { curl[cell] = c; });
  }
};

// Links lie all over the grid: without this each waits for its two populations.
template <int D, class Stored>
struct FetchedAhead {
  Taken<D, Stored> taken;

  Wrench operator()(Index i) const {
    constexpr Index ahead = 32;
    const Index next = i + ahead < taken.order.size ? i + ahead : i;
    const Link l = taken.links[taken.order[next]];
    __builtin_prefetch(taken.f.array[l.from] + l.slot);
    __builtin_prefetch(taken.f.array[l.from ^ 1] + l.slot);
    return taken(i);
  }
};

}  // namespace

template <int D>
Totals<D> totals_side_by_side(const Exec& ex, const Flow<D>& flow, Span<const Real> pressure) {
  return reduce(ex, "lbm.totals", stretches(flow.layout), Totals<D>{},
                TotalsOf<D>{{flow, pressure}}, AddTotals<D>{});
}

template <int D>
void vorticity_side_by_side(const Exec& ex, const Flow<D>& flow, Span<Curl<D>> curl) {
  parallel_for(ex, "lbm.vorticity", stretches(flow.layout), CurlOf<D>{flow, curl});
}

template <int D, class Stored>
Wrench wrench_fetched_ahead(const Exec& ex, const Taken<D, Stored>& taken) {
  return reduce(ex, "lbm.force", taken.order.size, Wrench{}, FetchedAhead<D, Stored>{taken},
                Plus{});
}

#define RTSIM_LBM_SIDE_BY_SIDE(D)                                                           \
  template Totals<D> totals_side_by_side<D>(const Exec&, const Flow<D>&, Span<const Real>); \
  template void vorticity_side_by_side<D>(const Exec&, const Flow<D>&, Span<Curl<D>>);
RTSIM_LBM_SIDE_BY_SIDE(2)
RTSIM_LBM_SIDE_BY_SIDE(3)
#undef RTSIM_LBM_SIDE_BY_SIDE
#define RTSIM_LBM_FETCHED(D, Stored) \
  template Wrench wrench_fetched_ahead<D, Stored>(const Exec&, const Taken<D, Stored>&);
RTSIM_LBM_FETCHED(2, Real)
RTSIM_LBM_FETCHED(3, Real)
RTSIM_LBM_FETCHED(2, Half)
RTSIM_LBM_FETCHED(3, Half)
#undef RTSIM_LBM_FETCHED

}  // namespace rtsim::lbm
