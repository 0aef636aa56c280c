#include "meeting/meeting.h"

#include <limits>

#include "exec/parallel.h"

namespace rtsim::meeting {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

template <int D>
struct Pack {
  Span<const Index> order;
  Span<const Vec<D>> position;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index k) const {
    const Vec<D>& x = position[order[k]];
    rows[k] = {x[0], x[1], D == 3 ? x[D - 1] : Real(0), 0};
  }
};

RTSIM_HD bool any_within(const CellRows& cells, const Row4& p, Real reach) {
  const Real at[3] = {p.x, p.y, p.z};
  bool found = false;
  for_runs(cells, at, at, reach, [&](Index begin, Index end) {
    for (Index j = begin; j < end && !found; ++j) {
      const Row4& q = cells.rows[j];
      const Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
      found = x * x + y * y + z * z < reach * reach;
    }
  });
  return found;
}

struct MeetingOfRow {
  Span<const Row4> rows;
  CellRows others, walls;
  Real reach, clear;
  RTSIM_HD Index operator()(Index i) const {
    const Row4 p = rows[i];
    const Real at[3] = {p.x, p.y, p.z};
    bool meets = false;
    for_runs(others, at, at, reach, [&](Index begin, Index end) {
      for (Index j = begin; j < end && !meets; ++j) {
        const Row4& q = others.rows[j];
        const Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
        if (!(x * x + y * y + z * z < reach * reach)) continue;
        const Row4 middle{(p.x + q.x) / 2, (p.y + q.y) / 2, (p.z + q.z) / 2, 0};
        meets = walls.rows.size == 0 || !any_within(walls, middle, clear);
      }
    });
    return meets ? i : none;
  }
};

struct Lower {
  RTSIM_HD Index operator()(Index a, Index b) const { return a < b ? a : b; }
};

}  // namespace

template <int D>
void pack(const Exec& ex, Span<const Index> order, Span<const Vec<D>> position, Span<Row4> rows) {
  parallel_for(ex, "meeting.pack", order.size, Pack<D>{order, position, rows});
}
template void pack<2>(const Exec&, Span<const Index>, Span<const Vec<2>>, Span<Row4>);
template void pack<3>(const Exec&, Span<const Index>, Span<const Vec<3>>, Span<Row4>);

Index find_meeting(const Exec& ex, Span<const Row4> rows, const CellRows& others,
                   const CellRows& walls, Real reach, Real clear) {
  const Index first = reduce(ex, "meeting.find", rows.size, none,
                             MeetingOfRow{rows, others, walls, reach, clear}, Lower{});
  return first == none ? -1 : first;
}

}  // namespace rtsim::meeting
