#include "exec/parallel.h"
#include "flip/fill.h"
#include "lanes/lanes.h"

namespace rtsim::flip {

template <int D>
void fill_lines(const Exec& ex, const mac::Domain& d, const Particles<D>& p, Real half,
                Span<const std::uint8_t> only, Span<Real> fill) {
  using Eight = Lanes<Real>;
  const Index nx = d.cells[0], ny = d.cells[1], all = ny * d.cells[2];
  const auto boxes = Boxes<D>::of(d, half);
  parallel_chunks(ex, "flip.fill", all, 4, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny;
      const Filled near = filled_near<D>(d, p.first, mac::centres, 1, j, k);
      for (Index i = 0; i < nx; ++i) {
        fill[l * nx + i] = 0;
        if (i < near.low - 1 || i > near.high + 1) continue;
        if (only.size > 0 && !only[l * nx + i]) continue;
        const Index cell[3] = {i, j, k};
        Eight sum(Real(0));
        for_runs<D>(d, p.first, mac::centres, 1, cell,
                    [&](Index first, Index last, const Real* at) {
                      for (Index row = first; row < last; row += lane_count) {
                        Eight off[D];
                        for (int a = 0; a < D; ++a)
                          off[a] = boxes.off(a, Eight::load(p.x[a] + row), at[a]);
                        off[0] = first_lanes(off[0], last - row);
                        sum = sum + boxes.volume(off);
                      }
                    });
        fill[l * nx + i] = sum.sum();
      }
    }
  });
}

template void fill_lines<2>(const Exec&, const mac::Domain&, const Particles<2>&, Real,
                            Span<const std::uint8_t>, Span<Real>);
template void fill_lines<3>(const Exec&, const mac::Domain&, const Particles<3>&, Real,
                            Span<const std::uint8_t>, Span<Real>);

}  // namespace rtsim::flip
