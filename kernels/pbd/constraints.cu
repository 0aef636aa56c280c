#include "pbd/constraints.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

template <class Law>
struct SolveRow {
  Law law;
  ConstraintRows<Law> rows;
  Index begin;
  Span<Row4> points, moved;
  RTSIM_HD void operator()(Index i) const {
    detail::project_in_place<Law>(law, rows, points, moved, begin + i);
  }
};

// A held point is pushed by d_lambda grad C, as one would be that hardly moves: what it is shifted
// by, over its inverse mass.
template <class Law>
struct PushHeld {
  Law law;
  ConstraintRows<Law> rows;
  Span<const Real> weight;  // of each constraint; may be empty
  Span<const Index> constraints;
  Index begin;
  Span<const Row4> points;
  Span<Row4> push;
  RTSIM_HD void operator()(Index k) const {
    constexpr Real hardly = Real(1) / (1 << 20);
    const Index c = constraints[begin + k];
    Real most = 0;
    for (int e = 0; e < Law::corners; ++e) most = max(most, points[rows.corner[e][c]].w);
    if (!(most > 0)) return;
    Arrow<Real> shift[Law::corners];
    Real lambda[Law::multipliers], before[Law::multipliers];
    detail::shifts<Law>(law, rows, points, c, hardly * most, shift, lambda, before);
    const Real by = (weight.size > 0 ? weight[c] : Real(1)) / (hardly * most);
    for (int e = 0; e < Law::corners; ++e) {
      Row4& r = push[rows.corner[e][c]];
      if (points[rows.corner[e][c]].w > 0) continue;
      r.x += by * shift[e].x, r.y += by * shift[e].y, r.z += by * shift[e].z;
    }
  }
};

template <class Law>
struct ShiftRow {
  Law law;
  ConstraintRows<Law> rows;
  Span<const Real> weight;
  Span<const Row4> points;
  Span<Vec<3>> shifts;
  RTSIM_HD void operator()(Index c) const {
    Arrow<Real> shift[Law::corners];
    const Real w = weight[c];
    detail::project<Law>(law, rows, points, c, w, shift);
    for (int k = 0; k < Law::corners; ++k)
      shifts[c * Law::corners + k] = {{w * shift[k].x, w * shift[k].y, w * shift[k].z}};
  }
};

struct GatherPoint {
  Span<const Index> first, slots;
  Span<const Vec<3>> shifts;
  Span<Row4> points, moved;
  RTSIM_HD void operator()(Index i) const {
    Vec<3> sum;
    for (Index k = first[i], end = first[i + 1]; k < end; ++k) sum = sum + shifts[slots[k]];
    const Arrow<Real> shift{sum[0], sum[1], sum[2]};
    detail::add(points[i], shift);
    if (moved.size > 0) detail::add(moved[i], shift);
  }
};

template <class Law>
struct SumBent {
  ConstraintRows<Law> rows;
  Span<const Vec<3>> position;
  Span<const Real> inverse_mass;
  RTSIM_HD BentSums operator()(Index c) const {
    Point<Real> p[Law::corners];
    Real number[Law::numbers];
    for (int k = 0; k < Law::corners; ++k) {
      const Index i = rows.corner[k][c];
      p[k] = {position[i][0], position[i][1], position[i][2], inverse_mass[i]};
    }
    const Index row = rows.kind.size > 0 ? rows.kind[c] : c;
    for (int k = 0; k < Law::numbers; ++k) number[k] = rows.number[k][row];
    BentSums sums;
    Law{}.add_bent(p, number, &sums.squares, &sums.weighted, &sums.gradients);
    return sums;
  }
};
struct AddBent {
  RTSIM_HD BentSums operator()(const BentSums& a, const BentSums& b) const {
    return {a.squares + b.squares, a.weighted + b.weighted, a.gradients + b.gradients};
  }
};

}  // namespace

template <class Law>
BentSums bent_sums(const Exec& ex, const ConstraintRows<Law>& rows, Span<const Vec<3>> position,
                   Span<const Real> inverse_mass) {
  return reduce(ex, "pbd.bent", rows.size(), BentSums{}, SumBent<Law>{rows, position, inverse_mass},
                AddBent{});
}

template <class Law>
static void push_held(const Exec& ex, const Law& law, const ConstraintRows<Law>& rows,
                      Span<const Real> weight, const OnHeld& held, std::size_t colour,
                      Span<const Row4> points) {
  if (!held.first) return;
  const Index begin = (*held.first)[colour], n = (*held.first)[colour + 1] - begin;
  if (n > 0)
    parallel_for(ex, "pbd.push_held", n,
                 PushHeld<Law>{law, rows, weight, held.constraints, begin, points, held.push});
}

template <class Law>
void gauss_seidel(const Exec& ex, const Law& law, const ConstraintRows<Law>& rows,
                  const std::vector<Index>& first, Sweep sweep, const OnHeld& held,
                  Span<Row4> points, Span<Row4> moved) {
  const std::size_t colours = first.size() - 1;
  for (std::size_t done = 0; done < colours; ++done) {
    const std::size_t k = sweep == Sweep::forward ? done : colours - 1 - done;
    const Index begin = first[k], n = first[k + 1] - begin;
    push_held(ex, law, rows, {}, held, k, points);
    if constexpr (Law::lanes)
      if (ex.cpu_shaped()) {
        gauss_seidel_lanes(ex, law, rows, begin, begin + n, points, moved);
        continue;
      }
    parallel_for(ex, "pbd.solve", n, SolveRow<Law>{law, rows, begin, points, moved});
  }
}

template <class Law>
void jacobi(const Exec& ex, const Law& law, const ConstraintRows<Law>& rows, const Averaging& mean,
            const OnHeld& held, Span<Vec<3>> shifts, Span<Row4> points, Span<Row4> moved) {
  for (std::size_t k = 0; held.first && k + 1 < held.first->size(); ++k)
    push_held(ex, law, rows, mean.weight, held, k, points);
  parallel_for(ex, "pbd.shift", rows.size(), ShiftRow<Law>{law, rows, mean.weight, points, shifts});
  parallel_for(ex, "pbd.gather", points.size,
               GatherPoint{mean.first, mean.slots, shifts, points, moved});
}

#define RTSIM_INSTANTIATE(Law)                                                                     \
  template void gauss_seidel<Law>(const Exec&, const Law&, const ConstraintRows<Law>&,             \
                                  const std::vector<Index>&, Sweep, const OnHeld&, Span<Row4>,     \
                                  Span<Row4>);                                                     \
  template void jacobi<Law>(const Exec&, const Law&, const ConstraintRows<Law>&, const Averaging&, \
                            const OnHeld&, Span<Vec<3>>, Span<Row4>, Span<Row4>);
RTSIM_INSTANTIATE(Distance)
#define RTSIM_INSTANTIATE_BENT(Law)                                                             \
  RTSIM_INSTANTIATE(Law)                                                                        \
  template BentSums bent_sums<Law>(const Exec&, const ConstraintRows<Law>&, Span<const Vec<3>>, \
                                   Span<const Real>);
#define RTSIM_INSTANTIATE_PLATE(n) \
  RTSIM_INSTANTIATE_BENT(FlatRestPlate<n>) RTSIM_INSTANTIATE_BENT(CurvedRestPlate<n>)
RTSIM_PLATE_SIZES(RTSIM_INSTANTIATE_PLATE)
RTSIM_INSTANTIATE(NarrowDihedral)
RTSIM_INSTANTIATE(WideDihedral)
RTSIM_INSTANTIATE(TetVolume)

}  // namespace rtsim::pbd
