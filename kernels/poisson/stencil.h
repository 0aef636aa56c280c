#pragma once
#include "poisson/poisson.h"

// The weights of one cell, from the faces of the scene or from the cells of a finer level.
namespace rtsim::poisson {

struct Stencil {
  Real link[6] = {0, 0, 0, 0, 0, 0};
  Real rest = 0;

  RTSIM_HD Real sum() const {
    return ((link[0] + link[1]) + (link[2] + link[3])) + (link[4] + link[5]) + rest;
  }
};

struct FromFaces {
  Faces faces;

  RTSIM_HD Index size(int axis) const { return faces.n[axis]; }
  RTSIM_HD bool refines(int) const { return false; }
  RTSIM_HD bool has_finer(int, int, Index) const { return false; }

  RTSIM_HD Stencil operator()(Index i, Index j, Index k) const {
    Stencil s;
    const Index at[3] = {i, j, k}, row = i + faces.n[0] * (j + faces.n[1] * k);
    if (faces.air && faces.air[row]) return s;
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
        if (beyond < 0 || (faces.air && faces.air[beyond]))
          s.rest += w;
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
RTSIM_HD constexpr Real to_rest(bool alone) { return alone ? Real(2) : Real(2) / 3; }

struct FromFiner {
  Level finer, coarse;

  RTSIM_HD Index size(int axis) const { return coarse.n[axis]; }
  RTSIM_HD bool refines(int axis) const { return finer.n[axis] > 1; }
  RTSIM_HD bool has_finer(int axis, int side, Index at) const {
    return 2 * at + side < finer.n[axis];
  }

  RTSIM_HD Stencil operator()(Index i, Index j, Index k) const {
    Stencil s;
    const Index at[3] = {i, j, k};
    Index begin[3], end[3];
    for (int a = 0; a < 3; ++a) {
      begin[a] = 2 * at[a];
      end[a] = begin[a] + 2 < finer.n[a] ? begin[a] + 2 : finer.n[a];
    }
    bool alone = false;
    for (int a = 0; a < 3; ++a) alone |= finer.n[a] > 1 && end[a] - begin[a] == 1;
    for (Index fk = begin[2]; fk < end[2]; ++fk)
      for (Index fj = begin[1]; fj < end[1]; ++fj) {
        const Line l = finer.line(fj, fk);
        for (Index fi = begin[0]; fi < end[0]; ++fi) {
          const Index cell[3] = {fi, fj, fk};
          for (int a = 0; a < 3; ++a) {
            if (coarse.n[a] == 1) continue;
            if (cell[a] == begin[a]) s.link[2 * a] += Real(0.5) * l.row(2 * a)[fi];
            if (cell[a] == end[a] - 1) s.link[2 * a + 1] += Real(0.5) * l.row(2 * a + 1)[fi];
          }
          s.rest += to_rest(alone) * l.row(rest)[fi];
        }
      }
    return s;
  }
};

}  // namespace rtsim::poisson
