#include <algorithm>

#include "exec/parallel.h"
#include "flip/surface.h"
#include "lanes/lanes.h"

namespace rtsim::flip {

namespace {

template <int D>
Real to_boxes(const mac::Domain& d, const Particles<D>& p, Real half, const Index (&cell)[3]) {
  using Eight = Lanes<Real>;
  Eight nearest(far_off * far_off);
  const auto look = [&](Index begin, Index end, const Real* at) {
    for (Index row = begin; row < end; row += lane_count) {
      Eight off[D];
      for (int a = 0; a < D; ++a) off[a] = Eight::load(p.x[a] + row) - Eight(at[a]);
      off[0] = first_lanes(off[0], end - row);
      nearest = least(nearest, square_to_box<D>(off, half));
    }
  };
  const auto square = [&] {
    Real each[lane_count];
    nearest.store(each);
    return *std::min_element(each, each + lane_count);
  };
  // Ring by ring of lines, whose boxes are farther and farther off.
  for (Index ring = 0; ring <= box_reach; ++ring) {
    const Real off = Real(ring) - Real(0.5) - half;
    if (off > 0 && square() <= off * off) break;
    for_ring<D>(d, ring, cell, [&](Index line, const Real* shift) {
      Real at[3] = {0, Real(cell[1]) + Real(0.5) - shift[1], Real(cell[2]) + Real(0.5) - shift[2]};
      for_runs_along(d, p.first, line, cell[0] - box_reach, cell[0] + box_reach,
                     [&](Index begin, Index end, Real along) {
                       at[0] = Real(cell[0]) + Real(0.5) - along;
                       look(begin, end, at);
                     });
    });
  }
  return std::sqrt(square());
}

}  // namespace

template <int D>
void distance_lines(const Exec& ex, const mac::Domain& d, const Particles<D>& p, Real half,
                    Span<Real> distance) {
  const Index nx = d.cells[0], ny = d.cells[1], all = ny * d.cells[2];
  parallel_chunks(ex, "flip.surface", all, 4, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny;
      const Filled near = filled_near<D>(d, p.first, mac::centres, box_reach, j, k);
      for (Index i = 0; i < nx; ++i) {
        const Index cell[3] = {i, j, k}, c = l * nx + i;
        const bool reach = i >= near.low - box_reach && i <= near.high + box_reach;
        distance[c] = p.fill(c) ? full : reach ? to_boxes<D>(d, p, half, cell) : far_off;
      }
    }
  });
}

template void distance_lines<2>(const Exec&, const mac::Domain&, const Particles<2>&, Real,
                                Span<Real>);
template void distance_lines<3>(const Exec&, const mac::Domain&, const Particles<3>&, Real,
                                Span<Real>);

}  // namespace rtsim::flip
