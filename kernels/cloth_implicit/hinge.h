#pragma once
#include <cmath>

#include "base/vec.h"

// Bending over an edge x0 x1 with the points x2, x3 opposite (Baraff & Witkin 1998, section 4.3):
// the condition is C = theta - theta0, the angle between the triangles over that at rest. Its
// energy is B/2 s C^2, s = l^2 / (A0 + A1), of the edge's length and the areas of the triangles at
// rest: that of a thin plate of bending stiffness B [N m] for equilateral triangles (Grinspun,
// Hirani, Desbrun & Schröder, "Discrete Shells", SCA 2003, section 2, with 3 / (A0 + A1) for a
// third of the areas and each triangle's three hinges taken together).
namespace rtsim::cloth {

// The angle, positive where x2 and x3 lie above the edge, in (-pi, pi], and its slopes (Bridson,
// Marino & Fedkiw, "Simulation of Clothing with Folds and Wrinkles", SCA 2003, eq. 5), which hold
// where it is flat as well. That by x0 is minus the sum of the others.
template <class T>
struct Hinge {
  T angle;
  VecT<T, 3> g1, g2, g3;  // [1/m]
};

// By any of the corners; `s` has g1, g2 and g3.
template <class Slopes>
RTSIM_HD auto slope_of(const Slopes& s, int corner) {
  return corner == 0 ? -(s.g1 + s.g2 + s.g3) : corner == 1 ? s.g1 : corner == 2 ? s.g2 : s.g3;
}

// Of the edge e = x1 - x0, p = x2 - x0 and q = x3 - x0. Triangles without area do not bend.
template <class T>
RTSIM_HD Hinge<T> hinge(const VecT<T, 3>& e, const VecT<T, 3>& p, const VecT<T, 3>& q) {
  const VecT<T, 3> a = cross(e, p), b = cross(q, e);
  const T length = norm(e), aa = dot(a, a), bb = dot(b, b);
  if (!(aa > 0 && bb > 0)) return {};
  const VecT<T, 3> u = T(1) / aa * a, v = T(1) / bb * b;
  return {std::atan2(dot(cross(b, a), e), length * dot(a, b)),
          -(dot(p, e) / length) * u - (dot(q, e) / length) * v, length * u, length * v};
}

// The difference of two angles in (-pi, pi].
template <class T>
RTSIM_HD T turned(T to, T from) {
  constexpr T pi = T(3.14159265358979323846);
  const T d = to - from;
  return d > pi ? d - 2 * pi : (d <= -pi ? d + 2 * pi : d);
}

}  // namespace rtsim::cloth
