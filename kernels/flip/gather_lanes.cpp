#include "exec/parallel.h"
#include "flip/gather.h"
#include "lanes/lanes.h"

namespace rtsim::flip {

namespace {

using Eight = Lanes<Real>;

template <int D, bool affine>
GatheredFace face(const mac::Domain& d, int axis, const Particles<D>& p, const Index (&f)[3]) {
  Given<Eight> sum{Eight(Real(0)), Eight(Real(0))};
  for_runs<D>(d, p.first, axis, 1, f, [&](Index begin, Index end, const Real* at) {
    for (Index row = begin; row < end; row += lane_count) {
      Eight off[D];
      for (int a = 0; a < D; ++a) off[a] = Eight::load(p.x[a] + row) - Eight(at[a]);
      off[0] = first_lanes(off[0], end - row);
      give<D, affine>(p, axis, row, off, sum);
    }
  });
  return face_of(sum.weight.sum(), sum.momentum.sum());
}

template <int D, bool affine>
void lines(const Exec& ex, const mac::Domain& d, int axis, const Particles<D>& p, Span<Real> u,
           Span<std::uint8_t> known) {
  const Index nx = d.count(axis, 0), ny = d.count(axis, 1), all = ny * d.count(axis, 2);
  parallel_chunks(ex, "flip.gather", all, 4, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const Index j = l % ny, k = l / ny, row = l * nx;
      const Filled near = filled_near<D>(d, p.first, axis, 1, j, k);
      for (Index i = 0; i < nx; ++i) {
        const Index f[3] = {i, j, k};
        const bool reach = i >= near.low - 1 && i <= near.high + 1 + (axis == 0);
        const auto g = reach ? face<D, affine>(d, axis, p, f) : GatheredFace{0, unknown};
        u[row + i] = g.u, known[row + i] = g.known;
      }
    }
  });
}

}  // namespace

template <int D>
void gather_lines(const Exec& ex, const mac::Domain& d, int axis, const Particles<D>& p,
                  Span<Real> u, Span<std::uint8_t> known) {
  p.affine[0][0] ? lines<D, true>(ex, d, axis, p, u, known)
                 : lines<D, false>(ex, d, axis, p, u, known);
}

template void gather_lines<2>(const Exec&, const mac::Domain&, int, const Particles<2>&, Span<Real>,
                              Span<std::uint8_t>);
template void gather_lines<3>(const Exec&, const mac::Domain&, int, const Particles<3>&, Span<Real>,
                              Span<std::uint8_t>);

}  // namespace rtsim::flip
