#pragma once
#include "contact/solid.h"
#include "rigid/narrow_phase/collide_convex.h"

// Boundaries that are known by their signed distance alone, felt by the corners of a part (of
// rounds their centres, of cylinders points of their rims, of which the first is the one nearest
// to where the boundary is from the centre), the first of the pair. What is finer than these comes
// between them.
namespace rtsim::rigid {

RTSIM_HD inline Vec<3> in_space(const Vec<2>& v) { return {{v[0], v[1], 0}}; }
RTSIM_HD inline Vec<3> in_space(const Vec<3>& v) { return v; }
RTSIM_HD inline void from_space(const Vec<3>& v, Vec<2>& to) { to = {{v[0], v[1]}}; }
RTSIM_HD inline void from_space(const Vec<3>& v, Vec<3>& to) { to = v; }

template <int D>
struct SdfQuery {
  Real gap;       // [m] of the core's point
  Vec<D> normal;  // out of the solid
};

template <int D>
RTSIM_HD SdfQuery<D> query_sdf(const contact::Solid& s, const BodyPose<D>& f, const Vec<D>& x) {
  const contact::Nearest q = contact::nearest(s, in_space(turned_back(f.axes, x - f.x)));
  SdfQuery<D> r;
  from_space(q.normal, r.normal);
  r.gap = q.distance, r.normal = turned(f.axes, r.normal);
  return r;
}

// The corners of a part, by number.
template <int D>
struct SdfSamplePoints {
  const BodyPose<D>& pose;
  const Part<D>& part;
  Span<const Vec<D>> points;
  Vec<D> down = {};  // of rims: in the body's frame, from their middle towards the boundary

  RTSIM_HD bool rims() const { return D == 3 && part.kind == PartKind::cylinder; }
  RTSIM_HD int size() const { return rims() ? 2 * cap_corners : int(part.points); }
  RTSIM_HD Real radius() const { return rims() ? 0 : part.radius; }
  RTSIM_HD Vec<D> operator[](int k) const {
    if constexpr (D == 3) {
      if (rims()) return rim(k);
    }
    return placed(pose, points[part.first_point + k]);
  }
  RTSIM_HD Vec<D> rim(int k) const {
    const Vec<3>& axis = part.axes[0];
    const Vec<3> x{{1, 0, 0}}, y{{0, 1, 0}};
    Vec<3> u = down - dot(down, axis) * axis;
    if (norm(u) < Real(0.01)) u = cross(axis, axis[0] * axis[0] < Real(0.5) ? x : y);
    u = part.radius / norm(u) * u;
    const Vec<3> v = cross(axis, u), h = (k < cap_corners ? -part.half[0] : part.half[0]) * axis;
    const Vec<2> turn = cap_turn(k % cap_corners);
    return placed(pose, part.centre + h + turn[0] * u + turn[1] * v);
  }
};

// Groups of corners nearer than `reach`: each starts at the deepest that no other has taken, and
// takes those whose normals are within 25 degrees of its own.
template <int D>
struct Groups {
  const SdfSamplePoints<D>& corners;
  const BodyPose<D>& pose;
  const contact::Solid& solid;
  Real reach;
  int n = 0;
  Vec<D> normal[most_groups] = {};
  int deepest[most_groups] = {},
      lead[most_groups] = {};  // corners; the lead is the first of a group
  static constexpr int most_kept = 32;
  SdfQuery<D> kept[most_kept] = {};  // of the first corners

  RTSIM_HD int group_of(const SdfQuery<D>& q) const {
    for (int g = 0; g < n; ++g)
      if (dot(normal[g], q.normal) > Real(0.9)) return g;
    return -1;
  }
  RTSIM_HD SdfQuery<D> query(int k) const {
    SdfQuery<D> q = query_sdf(solid, pose, corners[k]);
    q.gap -= corners.radius();
    return q;
  }
  RTSIM_HD SdfQuery<D> at(int k) const { return k < most_kept ? kept[k] : query(k); }
  RTSIM_HD bool open_one() {
    Real least = reach;
    int best = -1;
    Vec<D> out;
    for (int k = 0; k < corners.size(); ++k) {
      const SdfQuery<D> q = at(k);
      if (q.gap <= least && group_of(q) < 0) least = q.gap, best = k, out = q.normal;
    }
    if (best < 0) return false;
    deepest[n] = best, lead[n] = -1, normal[n++] = out;
    return true;
  }
  RTSIM_HD void find() {
    for (int k = 0; k < corners.size() && k < most_kept; ++k) kept[k] = query(k);
    while (n < most_groups && open_one()) continue;
    for (int k = 0; k < corners.size(); ++k) {
      const SdfQuery<D> q = at(k);
      const int g = q.gap <= reach ? group_of(q) : -1;
      if (g >= 0 && lead[g] < 0) lead[g] = k;
    }
  }
  // Whether a corner touches with its group: of a cylinder that lies on its side the deepest of
  // each end alone, as on a plane.
  RTSIM_HD bool touches(int g, int k) const {
    if (at(k).gap > reach || group_of(at(k)) != g) return false;
    if constexpr (D == 3) {
      if (!corners.rims() || !lies(turned(corners.pose.axes, corners.part.axes[0]), normal[g]))
        return true;
      const int end = k - k % cap_corners;
      for (int other = end; other < end + cap_corners; ++other) {
        const SdfQuery<D> q = at(other);
        const bool deeper = other < k ? q.gap <= at(k).gap : q.gap < at(k).gap;
        if (deeper && group_of(q) == g) return false;
      }
    }
    return true;
  }
  // In the order of their leads.
  RTSIM_HD int number(int which) const {
    for (int g = 0; g < n; ++g) {
      int before = 0;
      for (int k = 0; k < n; ++k) before += lead[k] < lead[g];
      if (before == which) return g;
    }
    return -1;
  }
};

// The manifold of one group, which is known by its lead. `deep`: only for a body whose centre is
// inside, where triangles of the surface no longer tell which way is out. The lead of a group that
// there is not is no_group; nor are there then any behind it.
constexpr int no_group = -1;
template <int D>
RTSIM_HD ContactGeometry<D> collide_sdf(SdfSamplePoints<D> corners, const BodyPose<D>& f,
                                        const contact::Solid& solid, int which, bool deep,
                                        Real reach, int& lead) {
  ContactGeometry<D> out;
  const Part<D>& p = corners.part;
  const SdfQuery<D> centre = query_sdf(solid, f, corners.pose.x);
  if (centre.gap - p.reach > reach || (deep && !(centre.gap < 0))) {
    lead = no_group;
    return out;
  }
  if (corners.rims()) {
    const SdfQuery<D> middle = query_sdf(solid, f, placed(corners.pose, p.centre));
    corners.down = turned_back(corners.pose.axes, -middle.normal);
  }
  Groups<D> groups{corners, f, solid, reach};
  groups.find();
  const int g = groups.number(which);
  if (g < 0) {
    lead = no_group;
    return out;
  }
  const Vec<D> n = groups.normal[g];
  const int deepest = groups.deepest[g];
  BestPoints<D> best(corners[deepest] - (corners.radius() + groups.at(deepest).gap) * n, n);
  const Real alike = Real(0.01) * p.inner;
  for (int k = 0; k < corners.size(); ++k)
    if (groups.touches(g, k)) best.add(corners[k], groups.at(k).gap, corner_of_first(k), alike);
  out.normal = -n;
  if (!deep) lead = groups.lead[g];
  best.write(alike, out);
  return out;
}

}  // namespace rtsim::rigid
