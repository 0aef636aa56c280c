#pragma once
#include "contact/surface_crossing.h"

// Which way leads out of a solid, and how far it is.
namespace rtsim::contact {

// [m^2] Weights grow no further below that.
RTSIM_HD inline double least_square(const TetCells& c) {
  const double d = 1e-3 * double(c.cell);
  return d * d;
}

RTSIM_HD inline Vec3d direction_of(const WayOut& w) {
  return {{double(w[0]), double(w[1]), double(w[2])}};
}

// The sums of Heidelberger et al. for one point.
struct WaySum {
  double weight = 0, depth = 0;
  Vec3d direction;

  RTSIM_HD void add(const Vec3d& to, double least2, const Vec3d& normal, double deep) {
    const double d2 = dot(to, to), w = 1 / (d2 > least2 ? d2 : least2);
    weight += w, depth += w * deep, direction = direction + w * normal;
  }
  // Whether the directions agree: of three faces at right angles a mean has the length 0.577; what
  // is pierced through has opposite ones.
  RTSIM_HD bool way(WayOut& to) const {
    const double length = norm(direction);
    if (!(length > 0.5 * weight) || !(weight > 0)) return false;
    for (int a = 0; a < 3; ++a) to[a] = Real(direction[a] / length);
    to[3] = Real(depth / weight);
    return true;
  }
};

// The nearest place of a mesh's surface, and its normal.
RTSIM_HD inline Exit nearest_exit(const TetCells& c, const Surfaces& s, const Vec3d& x, int mesh,
                                  double& distance) {
  Exit exit{};
  double least = 1e60;
  Index stack[tree_depth];
  int waiting = 1;
  stack[0] = 0;
  while (waiting > 0) {
    const Index at = stack[--waiting];
    const BoxNode& n = s.triangles.nodes[at];
    if (double(squared_distance(n, narrow<3>(x))) > 1.001 * least) continue;
    if (n.count == 0) {
      stack[waiting++] = n.first;
      stack[waiting++] = at + 1;
      continue;
    }
    for (Index k = n.first; k < n.first + n.count; ++k) {
      const Corners3& t = s.triangles.items[k];
      if (mesh_of(c, t[0]) != mesh) continue;
      const Vec3d p[3] = {widen(c.position[t[0]]), widen(c.position[t[1]]),
                          widen(c.position[t[2]])};
      const Vec3d on = nearest_on_triangle(x, p).point;
      const double d2 = dot(on - x, on - x);
      if (!(d2 < least)) continue;
      const Vec3d area = cross(p[1] - p[0], p[2] - p[0]);
      const double length = norm(area);
      if (!(length > 0)) continue;
      least = d2;
      exit.place = narrow<3>(on), exit.normal = narrow<3>(1 / length * area);
    }
  }
  distance = std::sqrt(least);
  return exit;
}

// From inside to the nearest place; on the surface itself the direction is the face's.
RTSIM_HD inline Exit exit_of(const TetCells& c, const Surfaces& s, const Vec3d& x, int mesh,
                             double& distance) {
  Exit exit = nearest_exit(c, s, x, mesh, distance);
  const Vec3d to = widen(exit.place) - x;
  if (distance > std::sqrt(least_square(c)) && dot(to, widen(exit.normal)) > 0)
    exit.normal = narrow<3>(1 / distance * to);
  return exit;
}

}  // namespace rtsim::contact
