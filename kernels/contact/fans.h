#pragma once
#include <cmath>

#include "contact/features.h"
#include "exec/span.h"

// Which places of surfaces are nearest to others. The distance of a place from a surface has its
// least value where the gap leaves the surface within the cone of normals there: no triangle
// around comes nearer (Ericson, "Real-Time Collision Detection" (2005), section 5.1: Voronoi
// regions of features). A triangle alone does not know its neighbours: one that lies ahead in the
// same plane as the triangle that is touched has a gap that leans, and would push against the way
// of what slides to it.
namespace rtsim::contact {

// The triangles around each point p: their other two corners, others[first[p]] to
// others[first[p + 1] - 1].
struct Fans {
  Span<const Index> first;
  Span<const VecT<std::int32_t, 2>> others;

  RTSIM_HD bool any(std::int32_t p) const { return first[p] < first[p + 1]; }
};

// Of rounding: the sine of the angle by which a gap may lean.
constexpr double level_gap = 1e-4;

RTSIM_HD inline bool leans_to(const Vec3d& gap, const Vec3d& way, double level) {
  return dot(gap, way) > level * norm(gap) * norm(way);
}

// Whether a gap that begins at a place of the surface, on the first n of the points p, is the least
// one there. On faces it is; on their sides and corners where it leans to no triangle around.
RTSIM_HD inline bool least_gap(const Fans& fans, Span<const Vec<3>> x, const std::int32_t* p, int n,
                               const Vec3d& at, const Vec3d& gap, double level) {
  if (n > 2) return true;
  for (Index k = fans.first[p[0]]; k < fans.first[p[0] + 1]; ++k) {
    const VecT<std::int32_t, 2>& o = fans.others[k];
    for (int c = 0; c < 2; ++c)
      if ((n == 1 || o[1 - c] == p[1]) && leans_to(gap, widen(x[o[c]]) - at, level)) return false;
  }
  return true;
}

// One of the two features of a pair: the points that its nearest place lies on, and the place.
struct NearestPlace {
  std::int32_t p[3];
  int n = 0;
  Vec3d at;

  RTSIM_HD void add(std::int32_t point, double weight, const Vec<3>& x) {
    if (weight == 0) return;
    p[n++] = point;
    at = at + std::abs(weight) * widen(x);
  }
};

RTSIM_HD inline double sine_of_edges(Span<const Vec<3>> x, const std::int32_t* p) {
  const Vec3d a = widen(x[p[1]]) - widen(x[p[0]]), b = widen(x[p[3]]) - widen(x[p[2]]);
  return norm(cross(a, b)) / (norm(a) * norm(b));
}

// Whether two features are where their surfaces are nearest to each other: of both, unless the gap
// is along the normal of a face, which leads away from that whatever lies on it. So does that of
// edges that cross, at right angles to both: of those it may lean by as much as they cross, as
// faces that lie on each other never are quite level. Ends of edges are left to the pairs of their
// points with the triangles of the other surface.
RTSIM_HD inline bool least_gap(const Fans& fans, Span<const Vec<3>> x, Features kind,
                               const std::int32_t* p, const Gap& gap) {
  if (kind == Features::points) return true;
  const int of_first = kind == Features::edges ? 2 : 1;
  NearestPlace a, b;
  for (int k = 0; k < 4; ++k) (k < of_first ? a : b).add(p[k], gap.weight[k], x[p[k]]);
  if (b.n == 3) return true;
  const bool edges = kind == Features::edges;
  if (edges && ((a.n == 1 && fans.any(p[2])) || (b.n == 1 && fans.any(p[0])))) return false;
  const double crossing = edges && a.n == 2 && b.n == 2 ? sine_of_edges(x, p) : 0,
               level = crossing > level_gap ? crossing : level_gap;
  return least_gap(fans, x, a.p, a.n, a.at, -gap.vector, level) &&
         least_gap(fans, x, b.p, b.n, b.at, gap.vector, level);
}

}  // namespace rtsim::contact
