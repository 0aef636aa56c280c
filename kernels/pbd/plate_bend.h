#pragma once
#include "pbd/dihedral_bend.h"
#include "pbd/projection.h"

// Bending of a triangle as of a plate: E = B/2 sum_j |C_j|^2 of three constraints of compliance
// 1/B, sums over the bends s of hinges in and around it (deformables/plates/plate_stencils.h).
// Stages that give cloth a stiffness in N m have plate_bending/law.h.
namespace rtsim::pbd {

// s is linear in the positions (Bergou et al. 2006, eq. 3), so C_j = sum_i k_ji x_i of the N points
// around: three vectors, nine multipliers. Rows of k sum to 0, so that k_j0 follows from the
// others. The three are projected one after the other. Of cloth that is bent at rest C_j is (1 -
// r_j / |C_j|) times that, of a length r_j at rest: its mirror image is at rest as well.
template <int N, bool bent>
struct IsometricPlate {
  static constexpr int corners = N, numbers = 3 * (N - 1) + (bent ? 3 : 0), multipliers = 9;
  static constexpr bool lanes = true;
  static constexpr bool alike = !bent;  // many have their numbers in common
  Softness soft;

  // What does not depend on where the points are.
  template <class T>
  struct Shared {
    T k[3][N], f[3][N];  // f_ji = w_i k_ji
    T meets[3][3];       // sum_i f_ji k_mi, of m up to j
    T inverse[3];        // -1 / (meets_jj + a)
  };
  template <class T>
  RTSIM_HD Shared<T> shared(const Point<T>* p, const T* numbers) const {
    Shared<T> s;
    for (int j = 0; j < 3; ++j) {
      s.k[j][0] = T(Real(0));
      for (int i = 1; i < N; ++i) {
        s.k[j][i] = numbers[(N - 1) * j + i - 1];
        s.k[j][0] = s.k[j][0] - s.k[j][i];
      }
      for (int m = 0; m <= j; ++m) s.meets[j][m] = T(Real(0));
      for (int i = 0; i < N; ++i) {
        s.f[j][i] = p[i].w * s.k[j][i];
        for (int m = 0; m <= j; ++m) s.meets[j][m] = fma(s.f[j][i], s.k[m][i], s.meets[j][m]);
      }
      s.inverse[j] = divided(T(Real(-1)), s.meets[j][j] + T(soft.a));
    }
    return s;
  }

  template <class T>
  RTSIM_HD void project(const Point<T>* p, const T* numbers, T* lambda, Arrow<T>* shift) const {
    project(p, shared(p, numbers), numbers, lambda, shift);
  }
  // Of eight constraints that share it, S is Real, and they need no `numbers`.
  template <class T, class S>
  RTSIM_HD void project(const Point<T>* p, const Shared<S>& s, const T* numbers, T* lambda,
                        Arrow<T>* shift) const {
    const T a = T(soft.a), share = T(soft.share);
    Arrow<T> c[3], step[3];
    curvatures(p, s, c);
    for (int j = 0; j < 3; ++j) {
      for (int m = 0; m < j; ++m) c[j] = sum(T(s.meets[j][m]), step[m], c[j]);
      if constexpr (bent) c[j] = from_rest(c[j], numbers[3 * (N - 1) + j]);
      T* l = lambda + 3 * j;
      step[j] =
          T(s.inverse[j]) * Arrow<T>{fma(a, l[0], share * c[j].x), fma(a, l[1], share * c[j].y),
                                     fma(a, l[2], share * c[j].z)};
      l[0] = l[0] + step[j].x, l[1] = l[1] + step[j].y, l[2] = l[2] + step[j].z;
    }
    for (int i = 0; i < N; ++i)
      shift[i] = sum(T(s.f[0][i]), step[0], sum(T(s.f[1][i]), step[1], T(s.f[2][i]) * step[2]));
  }

  // What a measure adds up of the three: |C_j|^2, that times its sum w |grad C|^2, sum |grad C|^2.
  RTSIM_HD void add_bent(const Point<Real>* p, const Real* numbers, double* squares,
                         double* weighted, double* gradients) const {
    const Shared<Real> s = shared(p, numbers);
    Arrow<Real> c[3];
    curvatures(p, s, c);
    for (int j = 0; j < 3; ++j) {
      if constexpr (bent) c[j] = from_rest(c[j], numbers[3 * (N - 1) + j]);
      const double square = double(dot(c[j], c[j]));
      *squares += square, *weighted += square * double(s.meets[j][j]);
      for (int i = 0; i < N; ++i) *gradients += double(s.k[j][i] * s.k[j][i]);
    }
  }

 private:
  template <class T, class S>
  RTSIM_HD static void curvatures(const Point<T>* p, const Shared<S>& s, Arrow<T>* c) {
    const T zero = T(Real(0));
    for (int j = 0; j < 3; ++j) c[j] = {zero, zero, zero};
    for (int i = 1; i < N; ++i) {
      const Arrow<T> x = p[i] - p[0];
      for (int j = 0; j < 3; ++j) c[j] = sum(T(s.k[j][i]), x, c[j]);
    }
  }
  template <class T>
  RTSIM_HD static Arrow<T> from_rest(const Arrow<T>& c, const T& rest) {
    const T length = root(dot(c, c));
    return divided(length - rest, length) * c;
  }
  // s a + b
  template <class T>
  RTSIM_HD static Arrow<T> sum(const T& s, const Arrow<T>& a, const Arrow<T>& b) {
    return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)};
  }
};

// s = l (theta - theta0) of an edge of length l, by the angle between its triangles. F hinges: the
// three sides' alone, or with the six of the triangles beyond them.
template <int N, int F>
struct DihedralPlate {
  // theta0 and the hinge's points, of each hinge; then what of it is in each of the constraints.
  static constexpr int corners = N, numbers = 5 * F, multipliers = 3;
  static constexpr bool lanes = false;
  Softness soft;

  // Four places among the corners as one number, small enough for a float.
  static constexpr int code(int a, int b, int c, int d) { return a + 16 * (b + 16 * (c + 16 * d)); }
  static constexpr int none = -1;

  RTSIM_HD void project(const Point<Real>* p, const Real* number, Real* lambda,
                        Arrow<Real>* shift) const {
    Real c[3] = {0, 0, 0};
    Arrow<Real> g[3][N];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < N; ++i) g[j][i] = {0, 0, 0};
    for (int f = 0; f < F; ++f) {
      const int points = int(number[F + f]);
      if (points == none) continue;
      const int at[4] = {points % 16, points / 16 % 16, points / 256 % 16, points / 4096};
      const Point<Real> hinge[4] = {p[at[0]], p[at[1]], p[at[2]], p[at[3]]};
      Arrow<Real> slope[4];
      const Real bend = HingeNormals::of(hinge).bend(hinge, number[f], slope);
      for (int j = 0; j < 3; ++j) {
        const Real k = number[(2 + j) * F + f];
        c[j] += k * bend;
        for (int i = 0; i < 4; ++i) g[j][at[i]] = g[j][at[i]] + k * slope[i];
      }
    }
    for (int i = 0; i < N; ++i) shift[i] = {0, 0, 0};
    for (int j = 0; j < 3; ++j) {
      Real divisor = soft.a, moved = c[j];
      for (int i = 0; i < N; ++i) {
        divisor += p[i].w * dot(g[j][i], g[j][i]);
        moved += dot(g[j][i], shift[i]);
      }
      const Real step = -divided(soft.share * moved + soft.a * lambda[j], divisor);
      for (int i = 0; i < N; ++i) shift[i] = shift[i] + (step * p[i].w) * g[j][i];
      lambda[j] += step;
    }
  }
};

template <int N>
using FlatRestPlate = IsometricPlate<N, false>;
template <int N>
using CurvedRestPlate = IsometricPlate<N, true>;
using NarrowDihedral = DihedralPlate<6, 3>;
using WideDihedral = DihedralPlate<12, 9>;

// How many points there are around a triangle.
#define RTSIM_PLATE_SIZES(apply) \
  apply(4) apply(5) apply(6) apply(7) apply(8) apply(9) apply(10) apply(11) apply(12)

}  // namespace rtsim::pbd
