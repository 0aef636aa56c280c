#pragma once
#include "exec/span.h"

// One level of a multigrid solver of the pressure equation: the equation of its cells.
namespace rtsim::poisson {

// What a line keeps for each of its cells, a row of numbers after the other.
//   weights of the links to the six neighbours [m^(D-2), 1 on the finest level]; 0: no link
//   dirichlet: of the faces to where p = 0 (Dirichlet); closed faces have no weight (Neumann)
//   inverse of the sum of the links and damping x dirichlet; 0: no unknown. Damped Jacobi then
//   solves a cell that p = 0 holds alone in one sweep, where a damped share of a large Dirichlet
//   weight would outweigh all else.
// and on coarse levels, side by side, what the linear interpolation to a finer cell takes: of the
// cell that holds it and of the neighbour beyond.
enum Row { x_low, x_high, y_low, y_high, z_low, z_high, dirichlet, inverse, own, other = own + 6 };
constexpr int finest_rows = own, coarse_rows = other + 6;

// Cells of a line along x, and where their neighbours are in the arrays of a level.
struct Line {
  Index first = 0;                              // cell 0
  Index wrap = 0;                               // from an end to the neighbour beyond it
  Index down = 0, up = 0, back = 0, front = 0;  // to the lines beside this one; 0: none
  const Real* rows = nullptr;
  Index pitch = 0;

  RTSIM_HD const Real* row(int which) const { return rows + which * Offset(pitch); }
  RTSIM_HD Real at(int which, Index i) const { return row(which)[i]; }
};

// Cells of a line, in whole lanes: those from `begin` to `end` hold all of its unknowns, and those
// of the middle have the same weights. Others have no link, so that their values never matter.
struct Extent {
  Index begin = 0, end = 0, middle_begin = 0, middle_end = 0;
};

// The middle of a line, in registers.
struct UniformLine {
  Index first, wrap, down, up, back, front;
  Real weights[finest_rows];

  UniformLine(const Line& l, Index cell)
      : first(l.first), wrap(l.wrap), down(l.down), up(l.up), back(l.back), front(l.front) {
    for (int r = 0; r < finest_rows; ++r) weights[r] = l.at(r, cell);
  }
  RTSIM_HD Real at(int which, Index) const { return weights[which]; }
};

// A p = right-hand side, with
//   A p = sum over links w (p_c - p_neighbour) + dirichlet p_c,
// the equation of the scene times -h^2 on the finest level. Weights follow Batty, Bertails &
// Bridson, "A fast variational framework for accurate solid-fluid coupling", 2007, eq. 11. Most
// lines have the weights of many others, and share them in memory. Sums of differences, and in
// pairs: no cancellation of large pressures, and mirrored data stay mirrored to the last bit.
struct Level {
  Index n[3] = {1, 1, 1};
  bool periodic[3] = {false, false, false};
  Index pitch = 0;     // of the rows of a line
  Index set_size = 0;  // numbers in the rows of a line
  // For each line, which set of rows it has, times 2, plus 1 if it has no unknown.
  Span<const Index> sets;
  const Real* rows = nullptr;
  Span<const Extent> extents;  // of each set, for loops on the CPU

  RTSIM_HD Index lines() const { return n[1] * n[2]; }
  RTSIM_HD Index cells() const { return n[0] * lines(); }

  RTSIM_HD Offset offset(Index line) const { return Offset(sets[line] / 2) * set_size; }
  RTSIM_HD bool empty(Index line) const { return sets[line] & 1; }
  const Extent& extent(Index line) const { return extents[sets[line] / 2]; }

  RTSIM_HD Line line(Index j, Index k) const {
    Line l;
    const Index sy = n[0], sz = n[0] * n[1];
    l.first = j * sy + k * sz;
    l.wrap = periodic[0] ? n[0] - 1 : 0;
    l.down = j > 0 ? -sy : periodic[1] ? sz - sy : 0;
    l.up = j < n[1] - 1 ? sy : periodic[1] ? sy - sz : 0;
    l.back = k > 0 ? -sz : periodic[2] ? (n[2] - 1) * sz : 0;
    l.front = k < n[2] - 1 ? sz : periodic[2] ? -(n[2] - 1) * sz : 0;
    l.rows = rows + offset(j + n[1] * k);
    l.pitch = pitch;
    return l;
  }
  RTSIM_HD Line line(Index which) const { return line(which % n[1], which / n[1]); }
};

// Cell i of a line: its row in the arrays, and those of its neighbours along the line.
struct Cell {
  Index i, at, left, right;
};
template <class L>
RTSIM_HD Cell inner_cell(const L& l, Index i) {
  return {i, l.first + i, l.first + i - 1, l.first + i + 1};
}
RTSIM_HD inline Cell any_cell(const Line& l, Index n, Index i) {
  const Index at = l.first + i;
  return {i, at, i > 0 ? at - 1 : at + l.wrap, i < n - 1 ? at + 1 : at - l.wrap};
}

template <class L, class T>
[[gnu::always_inline]] RTSIM_HD inline T apply(const L& l, const Cell& c, const T* p) {
  const T m = p[c.at];
  const auto w = [&](int row) { return T(l.at(row, c.i)); };
  return ((w(x_low) * (m - p[c.left]) + w(x_high) * (m - p[c.right])) +
          (w(y_low) * (m - p[c.at + l.down]) + w(y_high) * (m - p[c.at + l.up]))) +
         (w(z_low) * (m - p[c.at + l.back]) + w(z_high) * (m - p[c.at + l.front])) +
         w(dirichlet) * m;
}

}  // namespace rtsim::poisson
