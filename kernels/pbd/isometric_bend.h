#pragma once
#include "pbd/projection.h"

namespace rtsim::pbd {

// Bending of a hinge x0 x1 with the points x2, x3 opposite, quadratic in the positions (Bergou,
// Wardetzky, Harmon, Zorin & Grinspun, "A Quadratic Bending Model for Inextensible Surfaces", SGP
// 2006, eq. 3 and 4):
//   E = B/2 |s|^2,  s = sum_i k_i x_i,  k = K / sqrt(A0 + A1),
//   K = (c03 + c04, c01 + c02, -c01 - c03, -c02 - c04)
// of a stiffness B [N m], the areas A0, A1 of the triangles, and the cotangents c of their angles
// at the edge. The paper's factor 3 / (A0 + A1) takes each triangle once for each of its edges;
// with 1 / (A0 + A1) a strip of equilateral triangles, or of right-angled ones bent about their
// short edges, has the energy B/2 curvature^2 an area of a thin plate. The constraint is the vector
// s = 0, of compliance 1/B: three multipliers. k sums to 0, so k_1, k_2, k_3 say all.
struct FlatBend {
  static constexpr int corners = 4, numbers = 3, multipliers = 3;
  static constexpr bool lanes = true;
  Softness soft;

  template <class T>
  RTSIM_HD void project(const Point<T>* p, const T* k, T* lambda, Arrow<T>* shift) const {
    const Arrow<T> a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
    const Arrow<T> s{fma(k[0], a.x, fma(k[1], b.x, k[2] * c.x)),
                     fma(k[0], a.y, fma(k[1], b.y, k[2] * c.y)),
                     fma(k[0], a.z, fma(k[1], b.z, k[2] * c.z))};
    move(p, k, T(soft.share) * s, lambda, shift);
  }

 protected:
  // For a violation c of the constraint, already multiplied by the share.
  template <class T>
  RTSIM_HD void move(const Point<T>* p, const T* k, const Arrow<T>& c, T* lambda,
                     Arrow<T>* shift) const {
    const T k0 = T(0) - (k[0] + k[1] + k[2]), a = T(soft.a);
    const T f[4] = {k0 * p[0].w, k[0] * p[1].w, k[1] * p[2].w, k[2] * p[3].w};
    const T divisor = fma(f[0], k0, fma(f[1], k[0], fma(f[2], k[1], fma(f[3], k[2], a))));
    const T inverse = divided(T(-1), divisor);
    const Arrow<T> step{inverse * fma(a, lambda[0], c.x), inverse * fma(a, lambda[1], c.y),
                        inverse * fma(a, lambda[2], c.z)};
    for (int i = 0; i < 4; ++i) shift[i] = f[i] * step;
    lambda[0] = lambda[0] + step.x, lambda[1] = lambda[1] + step.y, lambda[2] = lambda[2] + step.z;
  }
};

// The same for a hinge that is bent at rest: C = (1 - s0 / |s|) s of a rest length s0 of s. Its
// mirror image is at rest as well.
struct CurvedBend : FlatBend {
  static constexpr int numbers = 4;  // k_1, k_2, k_3, s0

  template <class T>
  RTSIM_HD void project(const Point<T>* p, const T* k, T* lambda, Arrow<T>* shift) const {
    const Arrow<T> a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
    const Arrow<T> s = k[0] * a + k[1] * b + k[2] * c;
    const T length = root(dot(s, s));
    move(p, k, (T(soft.share) * divided(length - k[3], length)) * s, lambda, shift);
  }
};

}  // namespace rtsim::pbd
