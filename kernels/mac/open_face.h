#pragma once
#include "grid/solids.h"
#include "mac/mac.h"
#include "mac/open_area.h"

// What one face of the cells meets.
namespace rtsim::mac {

struct Nodes {
  Index nx, ny;
  const Real* distance;
  const grid::SolidId* nearest;

  RTSIM_HD Index row(Index i, Index j, Index k) const { return i + nx * (j + ny * k); }
  RTSIM_HD Index stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
};

// Faces below this are closed: a sliver of an opening makes the pressure of its cell a matter of
// round-off.
inline constexpr Real least_opening = Real(0.01);

struct OpenFace {
  Domain domain;
  Nodes nodes;
  const boundary::Pose* poses;
  Span<const grid::SolidMap> by_volume;
  Span<const Vec<3>> deforming;
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
            s.by_volume,
            s.deforming,
            {s.first[0], s.first[1], s.first[2]},
            s.partial,
            axis,
            w.open[axis].data,
            w.velocity[axis].data,
            w.clearance[axis].data};
  }

  // The distance at the corners of a face, in a round from its lowest node on.
  struct Corners {
    Real a, b, c, d;
    RTSIM_HD Real sum() const { return (a + c) + (b + d); }
  };
  RTSIM_HD Index row(const Index f[3]) const { return nodes.row(f[0], f[1], f[2]); }
  // From a node to the next one along another axis than the face's, by so many.
  RTSIM_HD Index across(int by) const {
    const int a = (axis + by) % 3;
    return a < domain.dims ? nodes.stride(a) : 0;
  }
  RTSIM_HD Corners corners(Index row) const {
    const Real* const at = nodes.distance + row;
    const Index b = across(1), c = across(2);
    return {at[0], at[b], at[b + c], at[c]};
  }
  // Mirrored faces fold their corners in the mirrored order, to the same bits.
  RTSIM_HD Real share(const Corners& n) const {
    if (n.a <= 0 && n.b <= 0 && n.c <= 0 && n.d <= 0) return 0;
    if (n.a >= 0 && n.b >= 0 && n.c >= 0 && n.d >= 0) return 1;
    if (domain.dims == 3) return open_square(n.a, n.b, n.c, n.d);
    return open_length(n.a, axis == 0 ? n.b : n.d);
  }
  RTSIM_HD Vec<3> middle(const Index f[3]) const {
    Vec<3> x;
    for (int a = 0; a < domain.dims; ++a)
      x[a] = Real(first[a] + double(domain.spacing) * (f[a] + (a == axis ? 0 : 0.5)));
    return x;
  }
  // Of the cell about the face's middle, by its halves along all axes, each by the distance in its
  // middle, T of them at once. They lie sqrt(D) / 4 of a side from that of the face, and so near a
  // distance differs by no more: far from a surface they are whole, in or out.
  template <class T>
  RTSIM_HD Real share_of_volume(const Index f[3], const grid::SolidMap& map,
                                const boundary::Pose& pose) const {
    const Vec<3> x = middle(f) - pose.translation;
    const Vec<3> local =
        x[0] * pose.rotation[0] + x[1] * pose.rotation[1] + x[2] * pose.rotation[2];
    const Vec<3> centre = grid::in_cells(map.grid, local - map.grid.first);
    const Real off = grid::interpolate_in_cells(map.grid, map.distance.data, centre);
    const Real whole = (domain.dims == 3 ? Real(0.6831) : Real(0.6036)) * domain.spacing;
    if (off >= whole || off <= -whole) return off > 0 ? Real(1) : Real(0);
    Vec<3> quarter[3];  // of a side along each axis of the cells
    for (int a = 0; a < domain.dims; ++a)
      quarter[a] = grid::in_cells(map.grid, Real(0.25) * domain.spacing * pose.rotation[a]);
    return domain.dims == 3 ? share_of_halves<3, T>(map, centre, quarter)
                            : share_of_halves<2, T>(map, centre, quarter);
  }
  template <int D, class T>
  RTSIM_HD Real share_of_halves(const grid::SolidMap& map, const Vec<3>& centre,
                                const Vec<3> (&quarter)[3]) const {
    constexpr int halves = 1 << D, all = 8;
    Real side[D][all], part[all], sum = 0;
    for (int half = 0; half < all; ++half)
      for (int a = 0; a < D; ++a) side[a][half] = half >> a & 1 ? Real(1) : Real(-1);
    for (int half = 0; half < halves; half += int(Rows<T>::count)) {
      T t[D];
      for (int b = 0; b < D; ++b) {
        t[b] = T(centre[b]);
        for (int a = 0; a < D; ++a) t[b] = t[b] + Rows<T>::load(side[a] + half) * T(quarter[a][b]);
      }
      const T distance = grid::interpolate_in_cells<D, T>(map.grid, map.distance.data, t);
      const T open = T(Real(0.5)) + T(Real(2)) * distance / T(domain.spacing);
      Rows<T>::store(part + half, rtsim::greatest(T(Real(0)), rtsim::least(T(Real(1)), open)));
    }
    for (int half = 0; half < halves; ++half) sum += part[half];
    return sum / Real(halves);
  }
  // Of the cells before and behind a face: `up` -1 or 0.
  RTSIM_HD bool cell_in_solid(const Index f[3], const Corners& of_face, Index up) const {
    const Index m = f[axis] + up;
    if (m < 0 || m >= domain.cells[axis]) return false;
    const Index other = row(f) + (2 * up + 1) * nodes.stride(axis);
    return of_face.sum() + corners(other).sum() <= 0;
  }
  // Nothing of the cell about a face is as far as a side from the nearest of its nodes. Between
  // cells that both have their middle in solids what is left is a gap, if anything.
  template <class T>
  RTSIM_HD Real share_with_volumes(const Index f[3], const Corners& n) const {
    const Index deepest = deepest_node(f);
    if (nodes.distance[deepest] >= domain.spacing) return 1;
    const grid::SolidId solid = nodes.nearest[deepest];
    const grid::SolidMap& map = by_volume[solid];
    if (map.distance.size == 0 || (cell_in_solid(f, n, -1) && cell_in_solid(f, n, 0)))
      return share(n);
    return share_of_volume<T>(f, map, poses[solid]);
  }
  // From the lowest corner: most faces are farther from solids than their corners from each other.
  RTSIM_HD Real far_off() const { return Real(1.5) * domain.spacing; }
  template <class T = Real>
  RTSIM_HD Real obstacle_share(const Index f[3]) const {
    if (!nodes.distance) return 1;
    if (partial && nodes.distance[row(f)] >= far_off()) return 1;
    const Corners n = corners(row(f));
    if (!partial) return cell_in_solid(f, n, -1) || cell_in_solid(f, n, 0) ? Real(0) : Real(1);
    const Real s = by_volume.size > 0 ? share_with_volumes<T>(f, n) : share(n);
    return s < least_opening ? Real(0) : s;
  }

  // Faces that are open or closed as a whole stop at walls as such: those lie on the closed ones.
  RTSIM_HD Real middle_distance(const Index f[3], Real share) const {
    if (!partial) return share > 0 ? domain.spacing : Real(0);
    const Real d = Real(0.25) * corners(row(f)).sum();
    return share > 0 || d < 0 ? d : Real(0);
  }

  // The node of the face that is deepest in solids, and so which of them the face meets.
  RTSIM_HD Index deepest_node(const Index f[3]) const {
    const Index first = row(f), others[3] = {across(2), across(1), across(1) + across(2)};
    Index deepest = first;
    for (const Index o : others)
      if (nodes.distance[first + o] < nodes.distance[deepest]) deepest = first + o;
    return deepest;
  }
  RTSIM_HD Real solid_velocity(const Index f[3]) const {
    const grid::SolidId solid = nodes.nearest[deepest_node(f)];
    const boundary::Pose& p = poses[solid];
    const Real own = (p.velocity + cross(p.angular_velocity, middle(f) - p.centre))[axis];
    return deforming.size > 0 ? own + deforming_velocity(f, solid) : own;
  }
  // The mean of the face's nodes that the solid is nearest to.
  RTSIM_HD Real deforming_velocity(const Index f[3], grid::SolidId solid) const {
    const Index first = row(f);
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    Real sum = 0;
    int count = 0;
    for (int db = 0; db <= (b < domain.dims); ++db)
      for (int dc = 0; dc <= (c < domain.dims); ++dc) {
        const Index r = first + db * nodes.stride(b) + dc * nodes.stride(c);
        if (nodes.nearest[r] == solid) sum += deforming[r][axis], ++count;
      }
    return sum / Real(count);
  }

  RTSIM_HD void operator()(Index i, Index j, Index k) const { find<Real>(i, j, k); }
  // With T halves of a cell at once.
  template <class T>
  RTSIM_HD void find(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k}, r = domain.row(axis, i, j, k), last = domain.cells[axis];
    Real s = obstacle_share<T>(f);
    Index felt[3] = {i, j, k};
    if (domain.periodic(axis) && (f[axis] == 0 || f[axis] == last)) {
      Index g[3] = {i, j, k};  // both ends are one face, with the wall of the more closed
      g[axis] = last - f[axis];
      const Real t = obstacle_share<T>(g);
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

// The velocity alone.
struct FaceVelocity {
  OpenFace face;

  RTSIM_HD void operator()(Index i, Index j, Index k) const {
    const Index f[3] = {i, j, k}, r = face.domain.row(face.axis, i, j, k);
    if (f[face.axis] == 0 || f[face.axis] == face.domain.cells[face.axis]) return face(i, j, k);
    if (face.open[r] < 1) face.velocity[r] = face.solid_velocity(f);
  }
};

// The CPU-shaped forms of all faces along an axis.
void open_lines(const Exec&, const OpenFace&);
void move_lines(const Exec&, const OpenFace&);

}  // namespace rtsim::mac
