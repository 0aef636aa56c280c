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
};

// C = theta - theta0, the angle between the triangles of a hinge (Müller et al. 2006, sec. 4.1), by
// the arctangent and its gradients (Bridson, Marino & Fedkiw, "Simulation of Clothing with Folds
// and Wrinkles", SCA 2003, eq. 5), which keep the sign and hold where the arccosine of the paper
// has no slope, flat. Compliance (A0 + A1) / (B l^2) [1/(N m)] of an edge of length l: see
// isometric_bend.h.
struct DihedralBend {
  static constexpr int corners = 4, numbers = 2, multipliers = 1;  // theta0, (A0 + A1) / l^2
  static constexpr bool lanes = false;
  Softness soft;  // times the second number

  RTSIM_HD void project(const Point<Real>* p, const Real* number, Real* lambda,
                        Arrow<Real>* shift) const {
    constexpr Real pi = Real(3.14159265358979323846);
    const HingeNormals n = HingeNormals::of(p);
    Real c = n.angle() - number[0];
    c += c > pi ? -2 * pi : (c <= -pi ? 2 * pi : 0);
    const Real a = soft.a * number[1];
    const Arrow<Real> u = divided(Real(1), dot(n.a, n.a)) * n.a,
                      v = divided(Real(1), dot(n.b, n.b)) * n.b;
    const auto along = [&](int i, int j) { return divided(dot(p[i] - p[j], n.edge), n.length); };
    const Arrow<Real> g[4] = {along(2, 1) * u + along(3, 1) * v, along(0, 2) * u + along(0, 3) * v,
                              n.length * u, n.length * v};
    Real divisor = a;
    for (int i = 0; i < 4; ++i) divisor += p[i].w * dot(g[i], g[i]);
    const Real step = -divided(soft.share * c + a * lambda[0], divisor);
    for (int i = 0; i < 4; ++i) shift[i] = (step * p[i].w) * g[i];
    lambda[0] += step;
  }
};

}  // namespace rtsim::pbd
