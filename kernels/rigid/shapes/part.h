#pragma once
#include "rigid/narrow_phase/manifold.h"

// The geometry that bodies touch with, as kernels see it: the points within `radius` of the hull
// of some points, and what boundaries may be besides.
namespace rtsim::rigid {

enum class PartKind : std::int32_t {
  sphere,
  capsule,
  cylinder,
  box,
  hull,
  plane,
  triangle,  // one side of a mesh's
  mesh,      // stands for all of its triangles
  field      // of a boundary that is known by its signed distance
};

template <int D>
struct Part {
  PartKind kind;
  Index first_point, points;  // in the body's frame [m]; of a plane one that it goes through
  Index first_face, faces;
  Index first_edge, edges;
  std::int32_t open;  // of a triangle, bits of the edges that stick out
  Index solid;        // of a field
  bool deep;          // of a field: only for bodies whose centre is inside
  Vec<D> centre;      // [m] in the body's frame
  Vec<D> axes[D];  // of a box, or around a mesh; of a plane the first is its normal; of a cylinder
                   // its axis
  Vec<D> half;     // [m] of a box; of a cylinder the first
  Real radius;     // [m]
  Real reach;      // [m] from the body's origin to the farthest point
  Real inner;      // [m] half its least width, about
};

constexpr int most_groups = 3;    // of corners with one normal each, at a field
constexpr int most_corners = 64;  // of a face, or of a polygon

// A face of a box or hull: corners counter-clockwise from outside.
struct PartFace {
  Vec<3> normal;  // of length one
  Index first_corner, corners;
};
struct PartCorner {
  std::int32_t point;  // counted from the part's first
  std::int32_t edge;   // to the next corner; likewise
};
struct PartEdge {
  std::int32_t from, to;     // points
  std::int32_t left, right;  // faces; the left one has it from `from` to `to`
};

// Everything that bodies and boundaries are made of.
template <int D>
struct Parts {
  Span<const Part<D>> parts;
  Span<const Vec<D>> points;
  Span<const Vec<D>> normals;  // in the plane, of the edge that goes on from each point
  Span<const PartFace> faces;
  Span<const PartCorner> corners;
  Span<const PartEdge> edges;
};

// A part of one body.
struct Item {
  Index body;  // or boundary: row
  Index part;  // of Parts
  std::uint32_t number;
};

// The pose and the motion of a body.
template <int D>
struct BodyPose {
  Vec<D> x;          // [m] of the body's origin
  Vec<D> axes[D];    // of its frame, in the world
  Vec<D> centre;     // [m] that arms start from
  Vec<D> velocity;   // [m/s] of the centre
  Angular<D> omega;  // [rad/s]
  Real spin;         // [rad/s] its length
};

template <int D>
[[gnu::always_inline]] RTSIM_HD inline Vec<D> turned(const Vec<D>* axes, const Vec<D>& v) {
  Vec<D> r = v[0] * axes[0];
  for (int a = 1; a < D; ++a) r = r + v[a] * axes[a];
  return r;
}
template <int D>
[[gnu::always_inline]] RTSIM_HD inline Vec<D> turned_back(const Vec<D>* axes, const Vec<D>& v) {
  Vec<D> r;
  for (int a = 0; a < D; ++a) r[a] = dot(axes[a], v);
  return r;
}
template <int D>
[[gnu::always_inline]] RTSIM_HD inline Vec<D> placed(const BodyPose<D>& f, const Vec<D>& local) {
  return f.x + turned(f.axes, local);
}

// In whole rows of four numbers, so that eight are loaded by transposes.
template <int D, class T = Real>
struct alignas(T) alignas(4 * sizeof(Real)) PlacedBox {
  VecT<T, D> centre, axes[D], half;
};

template <class T>
RTSIM_HD T size_of(const T& x) {
  return max(x, T(Real(0)) - x);
}

template <int D>
RTSIM_HD PlacedBox<D> placed_box(const BodyPose<D>& f, const Part<D>& p) {
  PlacedBox<D> b;
  b.centre = placed(f, p.centre), b.half = p.half;
  for (int a = 0; a < D; ++a) b.axes[a] = turned(f.axes, p.axes[a]);
  return b;
}

template <int D>
struct Aabb {
  Vec<D> low, high;  // [m]
};

template <int D>
RTSIM_HD bool overlap(const Aabb<D>& a, const Aabb<D>& b) {
  for (int k = 0; k < D; ++k)
    if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
  return true;
}

// The contact points of a pair of parts, each in the middle between their surfaces.
template <int D>
struct ContactGeometry {
  Vec<D> normal;  // from the first to the second
  int points = 0;
  Vec<D> point[Manifold<D>::most_points];
  Real separation[Manifold<D>::most_points];
  std::uint32_t feature[Manifold<D>::most_points];

  RTSIM_HD void add(const Vec<D>& p, Real gap, std::uint32_t id) {
    point[points] = p, separation[points] = gap, feature[points++] = id;
  }
};

// Names of points, the same whichever face was clipped against which: a corner of the first or the
// second part, or where an edge of each meet.
RTSIM_HD inline std::uint32_t corner_of_first(int corner) {
  return 1u << 30 | std::uint32_t(corner);
}
RTSIM_HD inline std::uint32_t corner_of_second(int corner) {
  return 2u << 30 | std::uint32_t(corner);
}
RTSIM_HD inline std::uint32_t crossing(int edge_of_first, int edge_of_second) {
  return 3u << 30 | std::uint32_t(edge_of_first) << 15 | std::uint32_t(edge_of_second);
}

}  // namespace rtsim::rigid
