#pragma once
#include "rigid/core.h"

// Distance between convex cores: Gilbert, Johnson & Keerthi (1988), with the nearest point of a
// simplex as in Ericson, "Real-Time Collision Detection" (2005), 5.1.
namespace rtsim::rigid {

struct Simplex {
  int n = 0;
  Vec<3> on_a[4], on_b[4], w[4];  // w = on_b - on_a
  Real share[4];

  RTSIM_HD void keep(int k0, Real s0) { pick(k0, s0, 0), n = 1; }
  RTSIM_HD void keep(int k0, Real s0, int k1, Real s1) { pick(k0, s0, 0), pick(k1, s1, 1), n = 2; }
  RTSIM_HD void keep(int k0, Real s0, int k1, Real s1, int k2, Real s2) {
    pick(k0, s0, 0), pick(k1, s1, 1), pick(k2, s2, 2), n = 3;
  }

 private:
  // Those kept are named in ascending order, so none is overwritten before it is read.
  RTSIM_HD void pick(int from, Real s, int to) {
    on_a[to] = on_a[from], on_b[to] = on_b[from], w[to] = w[from], share[to] = s;
  }
};

RTSIM_HD inline void nearest_on_segment(Simplex& s) {
  const Vec<3> ab = s.w[1] - s.w[0];
  const Real t = -dot(s.w[0], ab), length2 = dot(ab, ab);
  if (!(t > 0)) return s.keep(0, 1);
  if (t >= length2) return s.keep(1, 1);
  s.share[0] = 1 - t / length2, s.share[1] = t / length2;
}

// Of corners i < j < k.
RTSIM_HD inline void nearest_on_triangle(Simplex& s, int i, int j, int k) {
  const Vec<3>&a = s.w[i], &b = s.w[j], &c = s.w[k];
  const Vec<3> ab = b - a, ac = c - a;
  const Real d1 = -dot(ab, a), d2 = -dot(ac, a);
  if (d1 <= 0 && d2 <= 0) return s.keep(i, 1);
  const Real d3 = -dot(ab, b), d4 = -dot(ac, b);
  if (d3 >= 0 && d4 <= d3) return s.keep(j, 1);
  const Real vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const Real t = d1 / (d1 - d3);
    return s.keep(i, 1 - t, j, t);
  }
  const Real d5 = -dot(ab, c), d6 = -dot(ac, c);
  if (d6 >= 0 && d5 <= d6) return s.keep(k, 1);
  const Real vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const Real t = d2 / (d2 - d6);
    return s.keep(i, 1 - t, k, t);
  }
  const Real va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const Real t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return s.keep(j, 1 - t, k, t);
  }
  const Real sum = Real(1) / (va + vb + vc), v = vb * sum, w = vc * sum;
  s.keep(i, 1 - v - w, j, v, k, w);
}

RTSIM_HD inline Vec<3> point_of(const Simplex& s, const Vec<3>* p) {
  Vec<3> r;
  for (int k = 0; k < s.n; ++k) r = r + s.share[k] * p[k];
  return r;
}

// False: the origin is inside.
RTSIM_HD inline bool nearest_on_tetrahedron(Simplex& s) {
  constexpr int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  Real least = Real(1e30);
  for (const auto& f : face) {
    const Vec<3>&a = s.w[f[0]], n = cross(s.w[f[1]] - a, s.w[f[2]] - a), d = s.w[f[3]] - a;
    const Real origin = -dot(a, n), other = dot(d, n);
    const bool flat = other * other <= Real(1e-8) * dot(n, n) * dot(d, d);
    if (origin * other > 0 && !flat) continue;
    Simplex t = s;
    nearest_on_triangle(t, f[0], f[1], f[2]);
    const Vec<3> p = point_of(t, t.w);
    if (dot(p, p) < least) least = dot(p, p), best = t;
  }
  if (best.n == 0) return false;
  s = best;
  return true;
}

RTSIM_HD inline bool reduce_simplex(Simplex& s) {
  switch (s.n) {
    case 1:
      s.share[0] = 1;
      return true;
    case 2:
      nearest_on_segment(s);
      return true;
    case 3:
      nearest_on_triangle(s, 0, 1, 2);
      return true;
    default:
      return nearest_on_tetrahedron(s);
  }
}

// From `on_a` to `on_b`; the cores meet where there is no gap.
struct CoreGap {
  bool apart;
  Vec<3> on_a, on_b;
};

RTSIM_HD inline bool holds(const Simplex& s, const Vec<3>& w) {
  for (int k = 0; k < s.n; ++k)
    if (s.w[k] == w) return true;
  return false;
}

// `towards` starts the search; `b` is shifted by `shift`.
RTSIM_HD inline CoreGap gap_between(const Core& a, const Core& b, const Vec<3>& shift,
                                    const Vec<3>& towards) {
  constexpr int most_turns = 40;
  constexpr Real enough = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-11);
  const Real size = a.part.reach + b.part.reach;
  const Real none = (sizeof(Real) == 4 ? Real(1e-6) : Real(1e-13)) * size;
  Simplex s;
  Vec<3> v = towards;
  CoreGap gap{false, {}, {}};
  for (int turn = 0; turn < most_turns; ++turn) {
    const Vec<3> on_a = farthest(a, v), on_b = farthest(b, -v) + shift, w = on_b - on_a;
    if (s.n > 0 && (dot(v, v) - dot(v, w) <= enough * dot(v, v) || holds(s, w))) break;
    s.on_a[s.n] = on_a, s.on_b[s.n] = on_b, s.w[s.n] = w, ++s.n;
    if (!reduce_simplex(s)) return {false, {}, {}};
    v = point_of(s, s.w);
    gap = {true, point_of(s, s.on_a), point_of(s, s.on_b)};
    if (dot(v, v) <= none * none) return {false, gap.on_a, gap.on_b};
  }
  return gap;
}

}  // namespace rtsim::rigid
