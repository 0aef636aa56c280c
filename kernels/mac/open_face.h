#pragma once
#include "mac/mac.h"
#include "mac/open_area.h"

// What one face of the cells meets.
namespace rtsim::mac {

struct Nodes {
  Index nx, ny;
  const Real* distance;
  const grid::SolidId* nearest;

  RTSIM_HD Index row(Index i, Index j, Index k) const { return i + nx * (j + ny * k); }
  RTSIM_HD Real at(Index i, Index j, Index k) const { return distance[row(i, j, k)]; }
};

// Faces below this are closed: a sliver of an opening makes the pressure of its cell a matter of
// round-off.
inline constexpr Real least_opening = Real(0.01);

struct OpenFace {
  Domain domain;
  Nodes nodes;
  const boundary::Pose* poses;
  const std::uint8_t* by_volume;  // null: none
  double first[3];
  bool partial;
  int axis;
  Real* open;
  Real* velocity;
  Real* clearance;

  static OpenFace of(const Domain& d, const SolidNodes& s, int axis, const Walls& w) {
    return {d,
            {d.cells[0] + 1, d.cells[1] + (d.dims > 1), s.distance.data, s.nearest.data},
            s.poses.data,
            s.by_volume.size > 0 ? s.by_volume.data : nullptr,
            {s.first[0], s.first[1], s.first[2]},
            s.partial,
            axis,
            w.open[axis].data,
            w.velocity[axis].data,
            w.clearance[axis].data};
  }

  RTSIM_HD Real node(const Index f[3], int db, int dc) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Index n[3] = {f[0], f[1], f[2]};
    n[b] += b < domain.dims ? db : 0;
    n[c] += c < domain.dims ? dc : 0;
    return nodes.at(n[0], n[1], n[2]);
  }
  // Mirrored faces fold their corners in the mirrored order, to the same bits.
  RTSIM_HD Real share(const Index f[3]) const {
    const Real a = node(f, 0, 0), b = node(f, 1, 0), c = node(f, 1, 1), d = node(f, 0, 1);
    if (domain.dims == 3) return open_square(a, b, c, d);
    return open_length(a, axis == 0 ? b : d);
  }
  // Of the cell about the face's middle, by its halves along all axes, each by the distance in its
  // middle, which is linear between nodes; level beyond the sides.
  RTSIM_HD Real share_of_volume(const Index f[3]) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const int nb = b < domain.dims ? 2 : 1, nc = c < domain.dims ? 2 : 1;
    Real sum = 0;
    for (Index side = -1; side <= 1; side += 2) {
      Index beyond[3] = {f[0], f[1], f[2]};
      beyond[axis] += side;
      if (beyond[axis] < 0 || beyond[axis] > domain.cells[axis]) beyond[axis] = f[axis];
      Real d[2][2];
      for (int i = 0; i < nb; ++i)
        for (int j = 0; j < nc; ++j)
          d[i][j] = Real(0.75) * node(f, i, j) + Real(0.25) * node(beyond, i, j);
      for (int i = 0; i < nb; ++i)
        for (int j = 0; j < nc; ++j) {
          const Real near = nb == 2 ? Real(0.75) * d[i][j] + Real(0.25) * d[1 - i][j] : d[i][j];
          if (nc == 1) {
            sum += part_of_half(near);
            continue;
          }
          const Real far =
              nb == 2 ? Real(0.75) * d[i][1 - j] + Real(0.25) * d[1 - i][1 - j] : d[i][1 - j];
          sum += part_of_half(Real(0.75) * near + Real(0.25) * far);
        }
    }
    return sum / Real(2 * nb * nc);
  }
  RTSIM_HD Real part_of_half(Real distance) const {
    const Real part = Real(0.5) + 2 * distance / domain.spacing;
    return part < 0 ? Real(0) : part < 1 ? part : Real(1);
  }
  RTSIM_HD bool cell_in_solid(const Index f[3], Index up) const {
    Real sum = 0;
    const Index m = f[axis] + up;
    if (m < 0 || m >= domain.cells[axis]) return false;
    for (Index e = 0; e < 2; ++e) {
      Index g[3] = {f[0], f[1], f[2]};
      g[axis] = m + e;
      sum += (node(g, 0, 0) + node(g, 1, 1)) + (node(g, 1, 0) + node(g, 0, 1));
    }
    return sum <= 0;
  }
  RTSIM_HD Real obstacle_share(const Index f[3]) const {
    if (!nodes.distance) return 1;
    if (!partial) return cell_in_solid(f, -1) || cell_in_solid(f, 0) ? Real(0) : Real(1);
    const bool volume = by_volume && by_volume[nodes.nearest[deepest_node(f)]] &&
                        !(cell_in_solid(f, -1) && cell_in_solid(f, 0));
    const Real s = volume ? share_of_volume(f) : share(f);
    return s < least_opening ? Real(0) : s;
  }

  // Faces that are open or closed as a whole stop at walls as such: those lie on the closed ones.
  RTSIM_HD Real middle_distance(const Index f[3], Real share) const {
    if (!partial) return share > 0 ? domain.spacing : Real(0);
    const Real d = Real(0.25) * ((node(f, 0, 0) + node(f, 1, 1)) + (node(f, 1, 0) + node(f, 0, 1)));
    return share > 0 || d < 0 ? d : Real(0);
  }

  // The node of the face that is deepest in solids, and so which of them the face meets.
  RTSIM_HD Index deepest_node(const Index f[3]) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Index deepest = nodes.row(f[0], f[1], f[2]);
    for (int db = 0; db <= (b < domain.dims); ++db)
      for (int dc = 0; dc <= (c < domain.dims); ++dc) {
        Index n[3] = {f[0], f[1], f[2]};
        n[b] += db, n[c] += dc;
        const Index r = nodes.row(n[0], n[1], n[2]);
        if (nodes.distance[r] < nodes.distance[deepest]) deepest = r;
      }
    return deepest;
  }
  RTSIM_HD Real solid_velocity(const Index f[3]) const {
    Vec<3> x;
    for (int a = 0; a < domain.dims; ++a)
      x[a] = Real(first[a] + double(domain.spacing) * (f[a] + (a == axis ? 0 : 0.5)));
    const boundary::Pose& p = poses[nodes.nearest[deepest_node(f)]];
    return (p.velocity + cross(p.angular_velocity, x - p.centre))[axis];
  }

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k}, r = domain.row(axis, i, j, k), last = domain.cells[axis];
    Real s = obstacle_share(f);
    Index felt[3] = {i, j, k};
    if (domain.periodic(axis) && (f[axis] == 0 || f[axis] == last)) {
      Index g[3] = {i, j, k};  // both ends are one face, with the wall of the more closed
      g[axis] = last - f[axis];
      const Real t = obstacle_share(g);
      if (t < s || (t == s && f[axis] == last)) s = t, felt[axis] = g[axis];
    }
    open[r] = s;
    velocity[r] = s < 1 ? solid_velocity(felt) : Real(0);
    if (nodes.distance) clearance[r] = middle_distance(felt, s);
    if (f[axis] != 0 && f[axis] != last) return;
    const int end = f[axis] != 0;
    if (domain.condition[axis][end] == BoundaryCondition::open || domain.periodic(axis)) return;
    open[r] = 0;
    velocity[r] = s * domain.profile(axis, end, f) * domain.boundary_velocity[axis][end][axis];
  }
};

}  // namespace rtsim::mac
