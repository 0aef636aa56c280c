#pragma once
#include "flip/flip.h"

// How much of a cell is liquid: below the surface, outside of walls, and in the boxes of particles.
namespace rtsim::flip {

// How much of a cell lies below the surface: its halves along all axes, each by the distance in its
// middle, which is linear between the centres of cells and level beyond sides and into walls.
template <int D>
struct Below {
  static constexpr int corners = D == 2 ? 9 : 27;
  mac::Domain domain;
  const std::uint8_t* layer;
  const Real* surface;

  // The row of a cell, round a seam; or -1 where there is none that fluid can come to.
  RTSIM_HD Index row(const Index (&cell)[3]) const {
    Index q[3] = {cell[0], cell[1], cell[2]};
    for (int a = 0; a < D; ++a) {
      const Index n = domain.cells[a];
      if (q[a] >= 0 && q[a] < n) continue;
      if (!domain.periodic(a)) return -1;
      q[a] += q[a] < 0 ? n : -n;
    }
    const Index r = domain.row(mac::centres, q[0], q[1], q[2]);
    return layer[r] == 0 ? r : Index(-1);
  }
  // The distance in the middle of each half, axis by axis: `at` begins with the values at the cell
  // and those beside it, three along an axis, and ends with the halves'.
  RTSIM_HD void halve(Real (&at)[corners]) const {
    Real from[corners];
    int lines = corners;
    for (int a = 0; a < D; ++a) {
      for (int n = 0; n < lines; ++n) from[n] = at[n];
      lines /= 3;
      for (int half = 0; half < 2; ++half)
        for (int n = 0; n < lines; ++n)
          at[n + half * lines] = Real(0.75) * from[3 * n + 1] + Real(0.25) * from[3 * n + 2 * half];
      lines *= 2;
    }
  }
  // Away from the ends of the grid, where cells beside one are so many rows off.
  RTSIM_HD bool inner(const Index (&cell)[3]) const {
    bool all = true;
    for (int a = 0; a < D; ++a) all = all && cell[a] > 0 && cell[a] < domain.cells[a] - 1;
    return all;
  }
  RTSIM_HD void look_around(const Index (&cell)[3], Index own, Real (&at)[corners]) const {
    const Index stride[3] = {1, domain.cells[0], domain.cells[0] * domain.cells[1]};
    const bool near_no_end = inner(cell);
    Index step[D][3];
    for (int a = 0; a < D; ++a)
      for (Index s = -1; s <= 1; ++s) {
        Index q[3] = {cell[0], cell[1], cell[2]};
        q[a] += s;
        const bool is = near_no_end ? layer[own + s * stride[a]] == 0 : row(q) >= 0;
        step[a][s + 1] = is ? s : 0;
      }
    for (int n = 0; n < corners; ++n) {
      Index q[3] = {cell[0], cell[1], cell[2]}, r = own;
      for (int a = 0, left = n; a < D; ++a, left /= 3) {
        q[a] += step[a][left % 3];
        r += step[a][left % 3] * stride[a];
      }
      if (!near_no_end)
        r = row(q);
      else if (layer[r] != 0)
        r = -1;
      at[n] = surface[r < 0 ? own : r];
    }
  }
  RTSIM_HD Real operator()(Index i, Index j, Index k) const {
    const Index cell[3] = {i, j, k}, own = domain.row(mac::centres, i, j, k);
    const Real h = domain.spacing;
    if (layer[own] != 0) return 0;
    if (surface[own] <= -h || surface[own] >= h) return surface[own] < 0;
    Real at[corners], share = 0;
    look_around(cell, own, at), halve(at);
    for (int half = 0; half < (1 << D); ++half) {
      const Real part = Real(0.5) - at[half] * 2 / h;
      share += part < 0 ? Real(0) : part < 1 ? part : Real(1);
    }
    return share / Real(1 << D);
  }
};

// How much of a cell lies outside of walls, and where they meet in it the least and the greatest
// that it may be.
template <int D>
struct Room {
  struct Share {
    Real least, likely, most;
  };
  mac::Domain domain;
  const Real* open[3];
  const Real* nodes;  // distance of walls [m]; null: none

  // By halves along all axes, each by the distance in its middle: right where a wall is smooth. In
  // a corner the distance, linear between nodes, takes too much away. There its slopes along the
  // axes are those of more than one wall, and the faces say what is left if walls lie along them.
  RTSIM_HD Share operator()(const Index (&at)[3]) const {
    if (!nodes) return {1, 1, 1};
    Real distance[1 << D], slope[D] = {};
    int outside = 0;
    for (int n = 0; n < (1 << D); ++n) {
      const Index nx = domain.cells[0] + 1, ny = domain.cells[1] + 1;
      distance[n] =
          nodes[at[0] + (n & 1) + nx * (at[1] + (n >> 1 & 1) + ny * (at[2] + (n >> 2 & 1)))];
      outside += distance[n] >= 0;
    }
    if (outside == 1 << D) return {1, 1, 1};
    Real share = 0, squares = 0;
    for (int half = 0; half < (1 << D); ++half) {
      Real middle = 0;
      for (int n = 0; n < (1 << D); ++n) {
        Real weight = 1;
        for (int a = 0; a < D; ++a) weight *= (n ^ half) >> a & 1 ? Real(0.25) : Real(0.75);
        middle += weight * distance[n];
      }
      share += within(Real(0.5) + 2 * middle / domain.spacing);
    }
    share /= Real(1 << D);
    for (int a = 0; a < D; ++a) {
      for (int n = 0; n < (1 << D); ++n)
        slope[a] = greatest(slope[a], distance[n] - distance[n ^ 1 << a]);
      squares += slope[a] * slope[a];
    }
    if (squares <= Real(1.05) * domain.spacing * domain.spacing) return {share, share, share};
    Real product = 1, most = 0;
    for (int a = 0; a < D; ++a) {
      const Real o = open_along(a, at);
      product *= o, most = greatest(most, o);
    }
    const Real likely = greatest(share, D == 3 ? std::sqrt(product) : product);
    return {share, likely, greatest(likely, most)};
  }

 private:
  RTSIM_HD static Real within(Real part) { return part < 0 ? Real(0) : part < 1 ? part : Real(1); }
  RTSIM_HD Real open_along(int axis, const Index (&at)[3]) const {
    Index up[3] = {at[0], at[1], at[2]};
    ++up[axis];
    return greatest(open[axis][domain.row(axis, at[0], at[1], at[2])],
                    open[axis][domain.row(axis, up[0], up[1], up[2])]);
  }
};

template <int D>
Room<D> room_of(const mac::Domain& d, const mac::Walls& walls, const Solid& solid) {
  return {d,
          {walls.open[0].data, walls.open[1].data, walls.open[2].data},
          solid.distance.size > 0 ? solid.distance.data : nullptr};
}

// What particles fill of a cell. Their boxes that touch a wall reach into the cells behind it.
template <int D>
RTSIM_HD Real filled_in(const Below<D>& below, const Real* fill, const Index (&at)[3]) {
  const mac::Domain& d = below.domain;
  Real all = fill[d.row(mac::centres, at[0], at[1], at[2])];
  for (int a = 0; a < D; ++a)
    for (Index step = -1; step <= 1; step += 2) {
      Index q[3] = {at[0], at[1], at[2]};
      const Index n = d.cells[a];
      q[a] += step;
      if (d.periodic(a)) q[a] = (q[a] + n) % n;
      if (q[a] < 0 || q[a] >= n) continue;
      const Index beside = d.row(mac::centres, q[0], q[1], q[2]);
      if (below.layer[beside] != 0) all += fill[beside];
    }
  return all;
}

}  // namespace rtsim::flip
