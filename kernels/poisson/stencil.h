#pragma once
#include "poisson/poisson.h"

// The weights of one cell, from the faces of the scene or from the cells of a finer level.
namespace rtsim::poisson {

struct Stencil {
  Real link[6] = {0, 0, 0, 0, 0, 0};
  Real dirichlet = 0;

  RTSIM_HD Real sum() const {
    return ((link[0] + link[1]) + (link[2] + link[3])) + (link[4] + link[5]) + dirichlet;
  }
};

struct FromFaces {
  Faces faces;

  RTSIM_HD Index size(int axis) const { return faces.n[axis]; }
  RTSIM_HD bool wraps() const { return faces.periodic[0]; }
  RTSIM_HD bool refines(int) const { return false; }
  RTSIM_HD bool has_finer(int, int, Index) const { return false; }
  RTSIM_HD int split_axes(const Index (&)[3]) const { return 0; }
  RTSIM_HD Real open_beyond_split(const Index (&)[3], int) const { return 0; }

  RTSIM_HD Stencil operator()(Index i, Index j, Index k) const {
    Stencil s;
    const Index at[3] = {i, j, k}, row = i + faces.n[0] * (j + faces.n[1] * k);
    if (faces.in_air(row)) return s;
    Index stride = 1;
    for (int a = 0; a < 3; ++a) {
      const Index n = faces.n[a];
      for (int side = 0; side < 2 && faces.spans[a]; ++side) {
        const bool last = at[a] == (side ? n - 1 : 0);
        const Index face = last && side && faces.periodic[a] ? 0 : at[a] + side;
        const Real w = faces.open[a][face_row(a, at, face)];
        if (!(w > 0)) continue;
        const Index beyond = !last               ? row + (side ? stride : -stride)
                             : faces.periodic[a] ? row + (side ? 1 - n : n - 1) * stride
                                                 : -1;
        if (beyond == row) continue;
        if (beyond < 0)
          s.dirichlet += w;
        else if (faces.in_air(beyond))
          s.dirichlet += w / faces.way_to_air(row, beyond);
        else
          s.link[2 * a + side] = w;
      }
      stride *= n;
    }
    return s;
  }

  RTSIM_HD Index face_row(int axis, const Index (&cell)[3], Index face) const {
    Index q[3] = {cell[0], cell[1], cell[2]};
    q[axis] = face;
    const Index nx = faces.n[0] + (axis == 0), ny = faces.n[1] + (axis == 1);
    return q[0] + nx * (q[1] + ny * q[2]);
  }
};

// A coarse cell has up to two cells along each axis. Links between its centre and the next are
// twice as long and have the area of all fine ones: weights are summed and halved. Where p = 0 is
// as far beyond as it was: its weights grow by less than the links', and more where a coarse cell
// has one fine cell alone along an axis and its centre is as near as that cell's border (both
// measured: 1/2 for all costs two iterations, 2/3 for all four).
RTSIM_HD constexpr Real dirichlet_scale(bool single) { return single ? Real(2) : Real(2) / 3; }

struct FromFiner {
  Coarsening c;

  RTSIM_HD Index size(int axis) const { return c.coarse.n[axis]; }
  RTSIM_HD bool wraps() const { return c.coarse.periodic[0]; }
  RTSIM_HD bool refines(int axis) const { return c.finer.n[axis] > 1; }
  RTSIM_HD bool has_finer(int axis, int side, Index at) const {
    return 2 * at + side < c.finer.n[axis];
  }

  RTSIM_HD Stencil operator()(Index i, Index j, Index k) const {
    Stencil s;
    const Index at[3] = {i, j, k};
    if (split_axes(at)) return s;
    bool single = false;
    for (int a = 0; a < 3; ++a) single |= refines(a) && !has_finer(a, 1, at[a]);
    for_finer(at, [&](const Line& l, Index fi, const bool(&first)[3], const bool(&last)[3]) {
      for (int a = 0; a < 3; ++a) {
        if (c.coarse.n[a] == 1) continue;
        if (first[a]) s.link[2 * a] += Real(0.5) * l.row(2 * a)[fi];
        if (last[a]) s.link[2 * a + 1] += Real(0.5) * l.row(2 * a + 1)[fi];
      }
      s.dirichlet += dirichlet_scale(single) * l.row(dirichlet)[fi];
    });
    for (int side = 0; side < 6; ++side)
      if (s.link[side] > 0 && split_beyond(at, side)) s.link[side] = 0;
    return s;
  }

  // Halves of a cell that are joined to others and hardly to each other, as on the two sides of a
  // thin wall, cannot have one pressure: such a cell has none, and its finer cells follow those
  // beside it. Bit a: the halves along axis a.
  RTSIM_HD std::uint8_t find_split(Index i, Index j, Index k) const {
    Real low[3] = {0, 0, 0}, inner[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    const Index at[3] = {i, j, k};
    for_finer(at, [&](const Line& l, Index fi, const bool(&first)[3], const bool(&last)[3]) {
      for (int a = 0; a < 3; ++a) {
        if (first[a]) low[a] += l.row(2 * a)[fi];
        if (last[a]) high[a] += l.row(2 * a + 1)[fi];
        if (!last[a]) inner[a] += l.row(2 * a + 1)[fi];
      }
    });
    int bits = 0;
    for (int a = 0; a < 3; ++a)
      if (has_finer(a, 1, at[a]) && 4 * inner[a] < low[a] && 4 * inner[a] < high[a]) bits |= 1 << a;
    return std::uint8_t(bits);
  }
  RTSIM_HD int split_axes(const Index (&at)[3]) const {
    return c.split[at[0] + c.coarse.n[0] * (at[1] + c.coarse.n[1] * at[2])];
  }

  // How far the half of a split cell on a side is open to the cell beyond, in weights of this
  // level.
  RTSIM_HD Real open_beyond_split(const Index (&at)[3], int side) const {
    Real open = 0;
    for_finer(at, [&](const Line& l, Index fi, const bool(&first)[3], const bool(&last)[3]) {
      if (side % 2 ? last[side / 2] : first[side / 2]) open += Real(0.5) * l.row(side)[fi];
    });
    return open > 0 && !split_beyond(at, side) ? open : Real(0);
  }

 private:
  // Of a side with a link.
  RTSIM_HD bool split_beyond(const Index (&at)[3], int side) const {
    Index q[3] = {at[0], at[1], at[2]};
    const Index n = c.coarse.n[side / 2];
    Index& along = q[side / 2];
    along = side % 2 ? (along + 1 < n ? along + 1 : 0) : (along > 0 ? along - 1 : n - 1);
    return split_axes(q) != 0;
  }
  // f(line, cell of the line, whether it is the first and the last along each axis), for those that
  // have an unknown: others have no weights.
  template <class F>
  RTSIM_HD void for_finer(const Index (&at)[3], const F& f) const {
    Index begin[3], end[3];
    for (int a = 0; a < 3; ++a)
      begin[a] = 2 * at[a], end[a] = has_finer(a, 1, at[a]) ? begin[a] + 2 : begin[a] + 1;
    for (Index k = begin[2]; k < end[2]; ++k)
      for (Index j = begin[1]; j < end[1]; ++j) {
        if (c.finer.empty(j + c.finer.n[1] * k)) continue;
        const Line l = c.finer.line(j, k);
        for (Index i = begin[0]; i < end[0]; ++i)
          if (l.at(inverse, i) > 0)
            f(l, i, {i == begin[0], j == begin[1], k == begin[2]},
              {i == end[0] - 1, j == end[1] - 1, k == end[2] - 1});
      }
  }
};

}  // namespace rtsim::poisson
