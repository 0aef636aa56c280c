#pragma once
#include <vector>

#include "contact/box_tree.h"
#include "flip/flip.h"

// Particles stay on their side of sheets: continuous collision of points with triangles that move,
// whatever has moved either.
namespace rtsim::flip {

constexpr double off_sheets = 0.01;  // [cells] that particles which met a sheet stay off it

// Sheets while they move straight from one place to another, in cells from the lower corner of the
// grid, and which of their triangles come into each cell, or as near as `off_sheets`.
struct MovingSheets {
  Span<const VecT<double, 3>> begin, end;  // of each point
  Span<const contact::Corners3> triangles;
  Span<const Index> first, in_cell;  // numbers of triangles by cells, and one past the last
};

// visit(cell) for those that a box [cells] comes into, once each: round seams; what is beyond sides
// counts to the cells beside them.
template <class Visit>
RTSIM_HD inline void for_cells_of(const mac::Domain& d, const VecT<double, 3>& low,
                                  const VecT<double, 3>& high, const Visit& visit) {
  Index from[3], to[3];
  for (int a = 0; a < 3; ++a) {
    const double n = d.cells[a];
    const auto within = [n](double x) { return x < 0 ? 0.0 : x < n ? x : n - 1; };
    const double l = std::floor(low[a]), h = std::floor(high[a]);
    const double begin = within(d.periodic(a) ? l - n * std::floor(l / n) : l);
    const double end = d.periodic(a) ? begin + (h - l < n ? h - l : n - 1) : within(h);
    from[a] = Index(begin), to[a] = Index(end);
  }
  for (Index k = from[2]; k <= to[2]; ++k)
    for (Index j = from[1]; j <= to[1]; ++j)
      for (Index i = from[0]; i <= to[0]; ++i)
        visit(d.row(mac::centres, i % d.cells[0], j % d.cells[1], k % d.cells[2]));
}

// A particle that met a sheet: where in which triangle, and the normal on its side.
struct SheetHit {
  Index row, triangle;
  Real weight[3];  // of the triangle's corners
  Vec<3> normal;
  Vec<3> velocity;  // of the particle [m/s]
  Real led;         // [cells] from where it would be
};

// Particles that went from `from` [cells], in the order of rows, to where the table has them: where
// they meet a sheet they go on along it. Null: they stood still. Returns those that did, in the
// order of rows; their velocities stay.
std::vector<SheetHit> keep_on_sides(const Exec&, const Place<3>&, const MovingSheets&,
                                    const Real* const (&from)[3], const State<3>&);

// Gives rows that met a sheet other velocities. They move with it along the normal, wherever around
// them: n . C = 0.
void stop_at_sheets(const Exec&, Span<const SheetHit>, const State<3>&);

}  // namespace rtsim::flip
