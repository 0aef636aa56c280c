#pragma once
#include "pbd/projection.h"

namespace rtsim::pbd {

// The edge x0 x1 of a hinge and its triangles' normals, of lengths twice their areas.
struct HingeNormals {
  Arrow<Real> edge, a, b;
  Real length;

  RTSIM_HD static HingeNormals of(const Point<Real>* p) {
    const Arrow<Real> e = p[1] - p[0];
    return {e, cross(e, p[2] - p[0]), cross(p[3] - p[0], e), root(dot(e, e))};
  }
  // 0 where it is flat, positive where x2 and x3 lie above, in (-pi, pi].
  RTSIM_HD Real angle() const { return std::atan2(dot(cross(b, a), edge), length * dot(a, b)); }

  // theta - theta0, the angle between the triangles of a hinge (Müller et al. 2006, sec. 4.1), by
  // the arctangent, and its gradients (Bridson, Marino & Fedkiw, "Simulation of Clothing with Folds
  // and Wrinkles", SCA 2003, eq. 5), which keep the sign and hold where the arccosine of the paper
  // has no slope, flat.
  RTSIM_HD Real bend(const Point<Real>* p, Real rest, Arrow<Real>* slope) const {
    constexpr Real pi = Real(3.14159265358979323846);
    Real c = angle() - rest;
    c += c > pi ? -2 * pi : (c <= -pi ? 2 * pi : 0);
    const Arrow<Real> u = divided(Real(1), dot(a, a)) * a, v = divided(Real(1), dot(b, b)) * b;
    const auto along = [&](int i, int j) { return divided(dot(p[i] - p[j], edge), length); };
    slope[0] = along(2, 1) * u + along(3, 1) * v, slope[1] = along(0, 2) * u + along(0, 3) * v;
    slope[2] = length * u, slope[3] = length * v;
    return c;
  }
};

}  // namespace rtsim::pbd
