#include "sph/shift.h"

#include "exec/parallel.h"
#include "sph/pair_cells.h"
#include "sph/shift_pass.h"

namespace rtsim::sph {

namespace {

struct Mark {
  Span<const Row4> surface;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const { rows[i].w = surface[i].w; }
};

template <int D>
struct ApplyShift {
  Span<const Row4> shift, change;
  Span<Vec<D>> position, velocity;
  RTSIM_HD void operator()(Index i) const {
    const Row4 d = shift[i], dv = change[i];
    const Real x[3] = {d.x, d.y, d.z}, v[3] = {dv.x, dv.y, dv.z};
    for (int k = 0; k < D; ++k) position[i][k] += x[k], velocity[i][k] += v[k];
  }
};

}  // namespace

void find_shift(const Exec& ex, const Shifting& law, const PairRows& fluid, const PairRows& walls,
                const neighbours::NeighbourLists& lists, Span<Row4> rows, Span<Row4> shift,
                Span<Row4> change) {
  for_pairs(ex, "sph.surface", fluid, walls, lists, law.medium.kernel.support,
            SurfacePass{law, shift});
  parallel_for(ex, "sph.surface", shift.size, Mark{shift, rows});
  for_pairs(ex, "sph.shift", fluid, walls, lists, law.medium.kernel.support,
            ShiftPass{law, shift, change});
}

template <int D>
void apply_shift(const Exec& ex, Span<const Row4> shift, Span<const Row4> change,
                 Span<Vec<D>> position, Span<Vec<D>> velocity) {
  parallel_for(ex, "sph.shift", position.size, ApplyShift<D>{shift, change, position, velocity});
}

#define RTSIM_INSTANTIATE(D)                                                                  \
  template void apply_shift<D>(const Exec&, Span<const Row4>, Span<const Row4>, Span<Vec<D>>, \
                               Span<Vec<D>>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::sph
