#include "lanes/lanes.h"
#include "pbd/tethers.h"

namespace rtsim::pbd {

namespace {

using Eight = Lanes<Real>;

// Neighbours mostly hang on one point.
Point<Eight> held_rows(const Row4* place, const Index* held) {
  if (equal_mask(held, held[0]) == 0xff) {
    const Row4& a = place[held[0]];
    return {Eight(a.x), Eight(a.y), Eight(a.z), Eight(a.w)};
  }
  const Lanes4<Real> a = load_rows(place, held);
  return {a.x, a.y, a.z, a.w};
}

}  // namespace

void pull_back_lanes(const Tethers& t, Index begin, Index end, Span<Row4> place) {
  const Index n = place.size, slots = t.slots;
  Row4* const rows = place.data;
  for (Index i = begin; i < end; i += lane_count) {
    const Lanes4<Real> r = load_rows(rows + i);
    Point<Eight> x{r.x, r.y, r.z, r.w};
    bool moved = false;
    for (Index k = 0; k < slots; ++k) {
      const Point<Eight> a = held_rows(rows, t.held.data + k * n + i);
      const Eight length = Eight::load(t.length.data + k * n + i);
      const Arrow<Eight> d = x - a;
      if (!less(length * length, dot(d, d))) continue;
      detail::pull_back(x, a, length);
      moved = true;
    }
    if (moved) store_rows(rows + i, {x.x, x.y, x.z, x.w});
  }
}

}  // namespace rtsim::pbd
