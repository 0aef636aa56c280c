#pragma once
#include "lanes/lanes.h"
#include "rigid/shapes/part.h"

namespace rtsim::rigid {

// A corner of the area that two faces share, in the plane of one of them.
struct AreaPoint {
  Real u, v;        // [m] in the plane
  Real separation;  // [m]
  std::uint32_t feature;
};

// Whether a point is to take another's place: it spans more by a hundredth, or as much and lies
// deeper, as the lower one of two corners of a sheet does that lie above each other.
RTSIM_HD inline bool holds_better(Real span, Real most, const AreaPoint& p, const AreaPoint& best,
                                  Real alike) {
  constexpr Real better = Real(1.01), deeper = Real(0.02);
  if (span > better * most) return true;
  return most > 0 && better * span > most && p.separation < best.separation - deeper * alike;
}

// Four points that hold the area best, after Gregorius, "Robust contact creation for physics
// simulations" (2015): a deep one, the farthest from it, and those that span the largest triangles
// to both sides. Depths within `alike` [m] count as equal, and a later point must be better by a
// hundredth, so that the same four stay while the bodies rest. The chosen come first; returns how
// many.
RTSIM_HD inline int reduce_points(AreaPoint* p, int n, Real alike) {
  if (n <= 4) return n;
  Real least = p[0].separation;
  for (int i = 1; i < n; ++i) least = p[i].separation < least ? p[i].separation : least;
  int chosen[4] = {-1, 0, -1, -1};
  for (int i = 0; i < n && chosen[0] < 0; ++i)
    if (p[i].separation <= least + alike) chosen[0] = i;
  const AreaPoint a = p[chosen[0]];
  Real farthest = 0;
  for (int i = 0; i < n; ++i) {
    const Real du = p[i].u - a.u, dv = p[i].v - a.v, d2 = du * du + dv * dv;
    if (holds_better(d2, farthest, p[i], p[chosen[1]], alike)) farthest = d2, chosen[1] = i;
  }
  const AreaPoint b = p[chosen[1]];
  Real most = 0, most_behind = 0;
  for (int i = 0; i < n; ++i) {
    const Real area = (b.u - a.u) * (p[i].v - a.v) - (b.v - a.v) * (p[i].u - a.u);
    if (holds_better(area, most, p[i], p[chosen[2] < 0 ? 0 : chosen[2]], alike))
      most = area, chosen[2] = i;
    if (holds_better(-area, most_behind, p[i], p[chosen[3] < 0 ? 0 : chosen[3]], alike))
      most_behind = -area, chosen[3] = i;
  }
  AreaPoint kept[4];
  int count = 0;
  for (int c : chosen)
    if (c >= 0) kept[count++] = p[c];
  for (int c = 0; c < count; ++c) p[c] = kept[c];
  return count;
}

// Boxes against boxes: fifteen separating axes (Gottschalk, Lin & Manocha, "OBBTree" (1996)), then
// the face of one clipped against the sides of the other.

// Two boxes as each sees the other; T: a number, or eight.
template <class T>
struct BoxPair {
  T c[3][3];     // cosines between the axes of the first and those of the second
  T a[3], b[3];  // [m] from the first's centre to the second's, along the axes of each
  VecT<T, 3> half_a, half_b;
};

// Along which axis two boxes are farthest apart: 0 to 2 of the first, 3 to 5 of the second, behind
// them the products of both.
template <class T>
struct BoxAxis {
  T axis;
  T separation;  // [m]
};

RTSIM_HD inline Real lesser(Real a, Real b) { return b < a ? b : a; }
RTSIM_HD inline Real greater(Real a, Real b) { return b > a ? b : a; }

template <class T>
RTSIM_HD BoxPair<T> box_pair(const PlacedBox<3, T>& a, const PlacedBox<3, T>& b) {
  BoxPair<T> p;
  const VecT<T, 3> t = b.centre - a.centre;
  for (int i = 0; i < 3; ++i) {
    p.a[i] = dot(t, a.axes[i]), p.b[i] = dot(t, b.axes[i]);
    for (int j = 0; j < 3; ++j) p.c[i][j] = dot(a.axes[i], b.axes[j]);
  }
  p.half_a = a.half, p.half_b = b.half;
  return p;
}

RTSIM_HD inline bool any_less(Real x, Real y) { return x < y; }
RTSIM_HD inline bool all_less(Real x, Real y) { return x < y; }
inline bool any_less(Lanes<Real> x, Lanes<Real> y) { return less(x, y) != 0; }
inline bool all_less(Lanes<Real> x, Lanes<Real> y) { return less(x, y) == (1u << lane_count) - 1; }

template <class T>
RTSIM_HD T least_of(const VecT<T, 3>& v) {
  return min(v[0], min(v[1], v[2]));
}

// Faces of the first are taken unless others are better by more than what noise can be, so that
// manifolds do not flicker.
template <class T>
RTSIM_HD BoxAxis<T> separating_axis(const BoxPair<T>& p, const T& reach) {
  const VecT<T, 3>&ha = p.half_a, &hb = p.half_b;
  T s[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s[i][j] = size_of(p.c[i][j]);
  const T slack = T(Real(0.01)) * min(least_of(ha), least_of(hb));
  BoxAxis<T> best{T(Real(0)), T(Real(-1e30))};
  T farthest = best.separation;  // of all faces
  // Where `wins` is above zero; others are measured by `least` from then on.
  const auto take = [&](int axis, const T& gap, const T& wins, T& least) {
    const T zero(Real(0));
    best.axis = select_less(zero, wins, T(Real(axis)), best.axis);
    best.separation = select_less(zero, wins, gap, best.separation);
    least = select_less(zero, wins, gap, least);
  };
  const auto take_face = [&](int axis, const T& gap, T& least) {
    farthest = max(farthest, gap);
    take(axis, gap, gap - least, least);
  };
  T of_first = best.separation;
  for (int i = 0; i < 3; ++i)
    take_face(i, size_of(p.a[i]) - (ha[i] + s[i][0] * hb[0] + s[i][1] * hb[1] + s[i][2] * hb[2]),
              of_first);
  of_first = of_first + slack;
  for (int j = 0; j < 3; ++j)
    take_face(3 + j,
              size_of(p.b[j]) - (hb[j] + s[0][j] * ha[0] + s[1][j] * ha[1] + s[2][j] * ha[2]),
              of_first);
  // Apart by any face they are apart.
  best.separation = select_less(reach, farthest, farthest, best.separation);
  if (all_less(reach, best.separation)) return best;
  T least = best.separation + slack;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const T sine2 = T(Real(1)) - p.c[i][j] * p.c[i][j];
      const T extents =
          ha[i1] * s[i2][j] + ha[i2] * s[i1][j] + hb[j1] * s[i][j2] + hb[j2] * s[i][j1];
      // Over the sine, which the square knows: of what does not win no root is drawn. Axes that are
      // nearly parallel make none.
      const T over = size_of(p.c[i1][j] * p.a[i2] - p.c[i2][j] * p.a[i1]) - extents;
      const T wins = over * size_of(over) - least * size_of(least) * sine2;
      const T counts = select_less(sine2, T(Real(1e-4)), T(Real(0)), wins);
      if (any_less(T(Real(0)), counts))
        take(6 + 3 * i + j, over / root(max(sine2, T(Real(1e-4)))), counts, least);
    }
  }
  return best;
}

// Corners of a box count in bits x, y, z; edges along an axis i in bits i + 1, i + 2. The corners
// of a face across axis i go round (-, -), (+, -), (+, +), (-, +) along i + 1 and i + 2, and side k
// goes on from corner k.
RTSIM_HD inline int corner_of_face(int i, bool positive, int k) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  return int(positive) << i | int(k == 1 || k == 2) << i1 | int(k >= 2) << i2;
}
RTSIM_HD inline int edge_of_face(int i, bool positive, int k) {
  if (k % 2 == 0) return 4 * ((i + 1) % 3) + (int(k == 2) | int(positive) << 1);
  return 4 * ((i + 2) % 3) + (int(positive) | int(k == 1) << 1);
}

// A corner of the clipped face, and the edge to the next: one of the face itself (0 to 3) or a side
// clipped against (4 to 7).
struct ClippedCorner {
  Real u, v, z;
  int edge;
};

// Sutherland & Hodgman (1974) against one side: u or v, from below or above.
RTSIM_HD inline int clip_side(const ClippedCorner* from, int n, int axis, Real sign, Real limit,
                              int side, ClippedCorner* to) {
  int m = 0;
  for (int i = 0; i < n; ++i) {
    const ClippedCorner &p = from[i], &q = from[i + 1 < n ? i + 1 : 0];
    const Real over_p = sign * (axis == 0 ? p.u : p.v) - limit;
    const Real over_q = sign * (axis == 0 ? q.u : q.v) - limit;
    if (over_p <= 0) to[m++] = p;
    if ((over_p <= 0) == (over_q <= 0)) continue;
    const Real t = over_p / (over_p - over_q);
    to[m++] = {p.u + t * (q.u - p.u), p.v + t * (q.v - p.v), p.z + t * (q.z - p.z),
               over_p <= 0 ? side : p.edge};
  }
  return m;
}

// The face of one box (the reference) that the other's most opposed one is clipped against.
struct FacePair {
  int i, j;         // their axes
  bool up_i, up_j;  // whether they are at the positive ends
  bool first;       // whether the reference is the first box
};

// Sides of the reference in the order of its corners. Corners that stand over by less than a
// thousandth count as inside: boxes that are aligned keep their names.
RTSIM_HD inline int clip_to_face(ClippedCorner* p, Real hu, Real hv) {
  const Real grown = Real(0.002) * lesser(hu, hv);
  ClippedCorner other[12];
  int n = clip_side(p, 4, 1, -1, hv + grown, 4, other);
  n = clip_side(other, n, 0, 1, hu + grown, 5, p);
  n = clip_side(p, n, 1, 1, hv + grown, 6, other);
  return clip_side(other, n, 0, -1, hu + grown, 7, p);
}

RTSIM_HD inline std::uint32_t name_of(const FacePair& f, int before, int after) {
  if (before < 4 && after < 4) {
    const int corner = corner_of_face(f.j, f.up_j, after);
    return f.first ? corner_of_second(corner) : corner_of_first(corner);
  }
  if (before >= 4 && after >= 4) {
    const int side = (before - 4 + 1) % 4 == after - 4 ? after - 4 : before - 4;
    const int corner = corner_of_face(f.i, f.up_i, side);
    return f.first ? corner_of_first(corner) : corner_of_second(corner);
  }
  const int own = edge_of_face(f.j, f.up_j, before < 4 ? before : after);
  const int reference = edge_of_face(f.i, f.up_i, (before < 4 ? after : before) - 4);
  return f.first ? crossing(reference, own) : crossing(own, reference);
}

// `c(k, l)` is the cosine between axis k of the reference and axis l of the other.
template <class Cosine>
RTSIM_HD void collide_faces(const PlacedBox<3>& ref, const PlacedBox<3>& other, const Real* t,
                            const Cosine& c, int i, bool first, Real reach,
                            ContactGeometry<3>& out) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  FacePair f{i, 0, t[i] >= 0, false, first};
  const Real up = f.up_i ? Real(1) : Real(-1);
  for (int j = 1; j < 3; ++j)
    if (size_of(c(i, j)) > size_of(c(i, f.j))) f.j = j;
  const int j1 = (f.j + 1) % 3, j2 = (f.j + 2) % 3;
  f.up_j = up * c(i, f.j) < 0;
  const Real to_face = f.up_j ? other.half[f.j] : -other.half[f.j];
  ClippedCorner p[12];
  const int pose[3] = {i1, i2, i};
  Real centre[3], along1[3], along2[3];
  for (int k = 0; k < 3; ++k) {
    const int r = pose[k];
    centre[k] = t[r] + to_face * c(r, f.j);
    along1[k] = other.half[j1] * c(r, j1), along2[k] = other.half[j2] * c(r, j2);
  }
  for (int k = 0; k < 4; ++k) {
    const Real s1 = k == 1 || k == 2 ? Real(1) : Real(-1), s2 = k >= 2 ? Real(1) : Real(-1);
    p[k] = {centre[0] + s1 * along1[0] + s2 * along2[0],
            centre[1] + s1 * along1[1] + s2 * along2[1],
            up * (centre[2] + s1 * along1[2] + s2 * along2[2]), k};
  }
  const int n = clip_to_face(p, ref.half[i1], ref.half[i2]);
  AreaPoint kept[12];
  int count = 0;
  for (int k = 0; k < n; ++k) {
    const Real gap = p[k].z - ref.half[i];
    if (gap > reach) continue;
    kept[count++] = {p[k].u, p[k].v, gap, name_of(f, p[k > 0 ? k - 1 : n - 1].edge, p[k].edge)};
  }
  count = reduce_points(kept, count, Real(0.01) * ref.half[i]);
  const Vec<3> n_world = up * ref.axes[i];
  out.normal = first ? n_world : -n_world;
  for (int k = 0; k < count; ++k)
    out.add(ref.centre + kept[k].u * ref.axes[i1] + kept[k].v * ref.axes[i2] +
                (ref.half[i] + Real(0.5) * kept[k].separation) * n_world,
            kept[k].separation, kept[k].feature);
}

// The places where two lines are nearest, p + s u and q + t v of unit directions.
RTSIM_HD inline Vec<3> between_lines(const Vec<3>& p, const Vec<3>& u, const Vec<3>& q,
                                     const Vec<3>& v) {
  const Vec<3> r = q - p;
  const Real uv = dot(u, v), ru = dot(r, u), rv = dot(r, v), sine2 = 1 - uv * uv;
  const Real s = (ru - uv * rv) / sine2, t = (uv * ru - rv) / sine2;
  return Real(0.5) * (p + s * u + q + t * v);
}

RTSIM_HD inline void collide_edges(const PlacedBox<3>& a, const PlacedBox<3>& b,
                                   const BoxPair<Real>& p, int i, int j, Real gap,
                                   ContactGeometry<3>& out) {
  Vec<3> n = cross(a.axes[i], b.axes[j]);
  n = Real(1) / norm(n) * n;
  if (dot(n, b.centre - a.centre) < 0) n = -n;
  Vec<3> on_a = a.centre, on_b = b.centre;
  int edge_a = 4 * i, edge_b = 4 * j;
  for (int k = 1; k < 3; ++k) {
    const int ia = (i + k) % 3, jb = (j + k) % 3;
    const bool up_a = dot(n, a.axes[ia]) > 0, up_b = dot(n, b.axes[jb]) < 0;
    on_a = on_a + (up_a ? p.half_a[ia] : -p.half_a[ia]) * a.axes[ia];
    on_b = on_b + (up_b ? p.half_b[jb] : -p.half_b[jb]) * b.axes[jb];
    edge_a |= int(up_a) << (k - 1), edge_b |= int(up_b) << (k - 1);
  }
  out.normal = n;
  out.add(between_lines(on_a, a.axes[i], on_b, b.axes[j]), gap, crossing(edge_a, edge_b));
}

struct CosinesOfFirst {
  const BoxPair<Real>& p;
  RTSIM_HD Real operator()(int k, int l) const { return p.c[k][l]; }
};
struct CosinesOfSecond {
  const BoxPair<Real>& p;
  RTSIM_HD Real operator()(int k, int l) const { return p.c[l][k]; }
};

// Points nearer than `reach` [m].
RTSIM_HD inline ContactGeometry<3> collide_along(const BoxAxis<Real>& s, const PlacedBox<3>& a,
                                                 const PlacedBox<3>& b, const BoxPair<Real>& p,
                                                 Real reach) {
  ContactGeometry<3> out;
  if (s.separation > reach) return out;
  const int axis = int(s.axis);
  if (axis < 3) {
    collide_faces(a, b, p.a, CosinesOfFirst{p}, axis, true, reach, out);
  } else if (axis < 6) {
    const Real back[3] = {-p.b[0], -p.b[1], -p.b[2]};
    collide_faces(b, a, back, CosinesOfSecond{p}, axis - 3, false, reach, out);
  } else {
    collide_edges(a, b, p, (axis - 6) / 3, (axis - 6) % 3, s.separation, out);
  }
  return out;
}
RTSIM_HD inline ContactGeometry<3> collide(const PlacedBox<3>& a, const PlacedBox<3>& b,
                                           Real reach) {
  const BoxPair<Real> p = box_pair(a, b);
  return collide_along(separating_axis(p, reach), a, b, p, reach);
}

}  // namespace rtsim::rigid
