#include "pbd/tethers.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

struct PullBack {
  Tethers t;
  Span<Row4> place;
  RTSIM_HD void operator()(Index i) const {
    const Row4 r = place[i];
    if (!(r.w > 0)) return;  // held: others read it in this launch
    Point<Real> x{r.x, r.y, r.z, r.w};
    for (Index k = 0; k < t.slots; ++k) {
      const Index s = k * place.size + i;
      const Row4 a = place[t.held[s]];
      detail::pull_back(x, {a.x, a.y, a.z, a.w}, t.length[s]);
    }
    place[i] = {x.x, x.y, x.z, r.w};
  }
};

struct PullBackRows {
  Tethers t;
  Span<Row4> place;
  void operator()(Index begin, Index end) const {
    const Index whole = begin + (end - begin) / lane_count * lane_count;
    pull_back_lanes(t, begin, whole, place);
    for (Index i = whole; i < end; ++i) PullBack{t, place}(i);
  }
};

}  // namespace

void pull_back(const Exec& ex, const Tethers& t, Span<Row4> place) {
  if (ex.cpu_shaped())
    parallel_chunks(ex, "pbd.pull_back", place.size, grain, PullBackRows{t, place});
  else
    parallel_for(ex, "pbd.pull_back", place.size, PullBack{t, place});
}

}  // namespace rtsim::pbd
