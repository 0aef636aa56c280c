#pragma once
#include "contact/penetration.h"

// The spatial hash of tets where kernels look things up in it.
namespace rtsim::contact {

struct CellRange {
  int low[3], high[3];

  RTSIM_HD double count() const {
    double n = 1;
    for (int a = 0; a < 3; ++a) n *= high[a] < low[a] ? 0 : double(high[a] - low[a]) + 1;
    return n;
  }
};

// Everything looked up lies within a reach, which begins at the origin.
RTSIM_HD inline int cell_along(const TetCells& c, Real x, int axis) {
  constexpr Real most = Real(1 << 20);
  const Real k = std::floor((x - c.origin[axis]) / c.cell);
  return !(k > 0) ? 0 : k > most ? 1 << 20 : int(k);
}

// Cells that the box of a tet meets within the reach of its mesh.
RTSIM_HD inline CellRange range_of(const TetCells& c, Index tet) {
  const Corners4& t = c.tets[tet];
  const Box& reach = c.reach[c.part[t[0]]];
  CellRange r{{0, 0, 0}, {-1, -1, -1}};
  if (reach.empty()) return r;
  Vec<3> low = c.position[t[0]], high = low;
  for (int k = 1; k < 4; ++k)
    for (int a = 0; a < 3; ++a) {
      const Real x = c.position[t[k]][a];
      if (x < low[a]) low[a] = x;
      if (x > high[a]) high[a] = x;
    }
  for (int a = 0; a < 3; ++a) low[a] -= c.slack, high[a] += c.slack;
  for (int a = 0; a < 3; ++a)
    if (low[a] > reach.high[a] || high[a] < reach.low[a]) return r;
  for (int a = 0; a < 3; ++a) {
    r.low[a] = cell_along(c, low[a] > reach.low[a] ? low[a] : reach.low[a], a);
    r.high[a] = cell_along(c, high[a] < reach.high[a] ? high[a] : reach.high[a], a);
  }
  return r;
}

// Teschner et al. (2003), section 3.1.
RTSIM_HD inline std::uint32_t bucket_of(const TetCells& c, int x, int y, int z) {
  const std::uint32_t h = (std::uint32_t(x) * 73856093u) ^ (std::uint32_t(y) * 19349663u) ^
                          (std::uint32_t(z) * 83492791u);
  return h % c.buckets;
}

struct InTet {
  Index tet = -1;
  double weight[4] = {};  // barycentric
};

// The weights of a place, whether or not it is in the tet; none of flat and inverted tets.
RTSIM_HD inline InTet weights_in(const TetCells& c, Index tet, const Vec3d& x) {
  Vec3d p[4];
  for (int k = 0; k < 4; ++k) p[k] = widen(c.position[c.tets[tet][k]]);
  const Vec3d a = p[1] - p[0], b = p[2] - p[0], d = p[3] - p[0], r = x - p[0];
  const double volume = dot(cross(a, b), d);
  InTet in;
  if (!(volume > 0)) return in;
  in.tet = tet;
  in.weight[1] = dot(cross(r, b), d) / volume;
  in.weight[2] = dot(cross(a, r), d) / volume;
  in.weight[3] = dot(cross(a, b), r) / volume;
  in.weight[0] = 1 - in.weight[1] - in.weight[2] - in.weight[3];
  return in;
}

// How far a place is outside of the faces of a tet [m], at most; below zero inside.
RTSIM_HD inline double outside_of(const TetCells& c, const InTet& in) {
  Vec3d p[4];
  for (int k = 0; k < 4; ++k) p[k] = widen(c.position[c.tets[in.tet][k]]);
  const double volume = dot(cross(p[1] - p[0], p[2] - p[0]), p[3] - p[0]);
  double most = -1e30;
  for (int k = 0; k < 4; ++k) {  // over the height of the corner opposite
    const Vec3d &a = p[(k + 1) % 4], &b = p[(k + 2) % 4], &d = p[(k + 3) % 4];
    const double out = -in.weight[k] * volume / norm(cross(b - a, d - a));
    if (out > most) most = out;
  }
  return most;
}

// The tet of another mesh that a place is in, of several the first; none further than `slack`.
RTSIM_HD inline InTet tet_around(const TetCells& c, const Vec3d& x, int mesh, double slack) {
  const Vec<3> at = narrow<3>(x);
  const Box& reach = c.reach[mesh];
  InTet best;
  double nearest = slack;
  for (int a = 0; a < 3; ++a)
    if (!(at[a] >= reach.low[a] && at[a] <= reach.high[a])) return best;
  const std::uint32_t b =
      bucket_of(c, cell_along(c, at[0], 0), cell_along(c, at[1], 1), cell_along(c, at[2], 2));
  for (Index k = c.first[b]; k < c.first[b + 1]; ++k) {
    const Index tet = c.tet[c.order[k]];
    if (c.part[c.tets[tet][0]] == mesh) continue;
    const InTet in = weights_in(c, tet, x);
    if (in.tet < 0) continue;
    double out = outside_of(c, in);
    if (out < 0) out = 0;
    if (out > nearest || (out == nearest && best.tet >= 0 && tet >= best.tet)) continue;
    nearest = out, best = in;
  }
  return best;
}

}  // namespace rtsim::contact
