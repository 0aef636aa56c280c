#pragma once
#include <vector>

#include "exec/exec.h"
#include "exec/span.h"
#include "pbd/distance.h"
#include "pbd/plate_bend.h"
#include "pbd/tet_volume.h"

// Launchers of one projection of all constraints of a law. `points` are places with inverse masses.
namespace rtsim::pbd {

// The constraints of a law, sorted by colour, then by kind: no two of a colour share a point.
template <class Law>
struct ConstraintRows {
  Span<const Index> corner[Law::corners];
  Span<const Real> number[Law::numbers];
  Span<const Index> kind;  // which row of the numbers; of size 0 where each has its own
  Span<Real> multiplier[Law::multipliers];  // of size 0 where one iteration needs none

  RTSIM_HD Index size() const { return corner[0].size; }
};

enum class Sweep { forward, backward };

// Constraints that have held points among their corners, colour by colour as all are, and where
// what they push these with is added [kg m]; `first` may be none.
struct OnHeld {
  const std::vector<Index>* first = nullptr;
  Span<const Index> constraints = {};
  Span<Row4> push = {};
};

// Colour by colour, each from where the last left the points. `first` is where colours begin, and
// the end; `moved` as in Told.
template <class Law>
void gauss_seidel(const Exec&, const Law&, const ConstraintRows<Law>&,
                  const std::vector<Index>& first, Sweep, const OnHeld&, Span<Row4> points,
                  Span<Row4> moved);

// Where each point stands among the corners, number by number as in meshes/adjacency.h, and by how
// much each constraint's shifts are multiplied: one over the most constraints that one of its
// points has. So no point is moved by more than its constraints on average, and momentum is kept.
struct Averaging {
  Span<const Index> first, slots;
  Span<const Real> weight;
};

// All from the same points. `shifts` has a row for each corner of each constraint.
template <class Law>
void jacobi(const Exec&, const Law&, const ConstraintRows<Law>&, const Averaging&, const OnHeld&,
            Span<Vec<3>> shifts, Span<Row4> points, Span<Row4> moved);

// How a mesh is bent, and how its constraints resist that.
struct BentSums {
  double squares = 0;    // sum |C|^2
  double weighted = 0;   // sum |C|^2 (sum w |grad C|^2) [1/kg times the square of C's gradient]
  double gradients = 0;  // sum |grad C|^2
};
template <class Law>  // an IsometricPlate
BentSums bent_sums(const Exec&, const ConstraintRows<Law>&, Span<const Vec<3>> position,
                   Span<const Real> inverse_mass);

namespace detail {

// Of points that move by `least` at least; returns whether multipliers are kept, with their values
// after and before.
template <class Law>
RTSIM_HD bool shifts(const Law& law, const ConstraintRows<Law>& rows, Span<const Row4> points,
                     Index c, Real least, Arrow<Real>* shift, Real* lambda, Real* before) {
  Point<Real> p[Law::corners];
  Real number[Law::numbers];
  for (int k = 0; k < Law::corners; ++k) {
    const Row4 r = points[rows.corner[k][c]];
    p[k] = {r.x, r.y, r.z, r.w > least ? r.w : least};
  }
  const Index row = rows.kind.size > 0 ? rows.kind[c] : c;
  for (int k = 0; k < Law::numbers; ++k) number[k] = rows.number[k][row];
  const bool kept = rows.multiplier[0].size > 0;
  for (int k = 0; k < Law::multipliers; ++k)
    before[k] = lambda[k] = kept ? rows.multiplier[k][c] : Real(0);
  law.project(p, number, lambda, shift);
  return kept;
}

template <class Law>
RTSIM_HD void project(const Law& law, const ConstraintRows<Law>& rows, Span<const Row4> points,
                      Index c, Real weight, Arrow<Real>* shift) {
  Real lambda[Law::multipliers], before[Law::multipliers];
  if (shifts<Law>(law, rows, points, c, 0, shift, lambda, before))
    for (int k = 0; k < Law::multipliers; ++k)
      rows.multiplier[k][c] = before[k] + weight * (lambda[k] - before[k]);
}

RTSIM_HD inline void add(Row4& r, const Arrow<Real>& shift) {
  r.x = r.x + shift.x, r.y = r.y + shift.y, r.z = r.z + shift.z;
}

template <class Law>
RTSIM_HD void project_in_place(const Law& law, const ConstraintRows<Law>& rows, Span<Row4> points,
                               Span<Row4> moved, Index c) {
  Arrow<Real> shift[Law::corners];
  project<Law>(law, rows, points, c, 1, shift);
  for (int k = 0; k < Law::corners; ++k) add(points[rows.corner[k][c]], shift[k]);
  if (moved.size == 0) return;
  for (int k = 0; k < Law::corners; ++k) add(moved[rows.corner[k][c]], shift[k]);
}

}  // namespace detail

// The CPU's form of a colour, from `begin` to `end`, eight constraints at once.
template <class Law>
void gauss_seidel_lanes(const Exec&, const Law&, const ConstraintRows<Law>&, Index begin, Index end,
                        Span<Row4> points, Span<Row4> moved);

}  // namespace rtsim::pbd
