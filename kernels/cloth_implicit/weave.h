#pragma once
#include <cmath>

#include "block_cg/mat3.h"

// Stretch and shear of a triangle of cloth (Baraff & Witkin, "Large Steps in Cloth Simulation",
// SIGGRAPH 1998, sections 4.2 and 4.3). Its corners have coordinates (u, v) [m] in the plane where
// it rests, u along the warp, v along the weft. The map to space is linear, with the slopes (eq. 9)
//   w_u = a1 (x1 - x0) + a2 (x2 - x0),   w_v = b1 (x1 - x0) + b2 (x2 - x0).
// The conditions are (eq. 10 and sec. 4.3, the area A apart)
//   C_u = |w_u| - r_u,   C_v = |w_v| - r_v,   C_s = w_u . w_v
// and their energy A/2 (k_u C_u^2 + k_v C_v^2 + k_s C_s^2): with A once and not squared, as the
// paper's a(...) has it, stiffness is a force per length [N/m] and does not depend on the mesh.
//
// Damping (eq. 11) is -k tau C' grad C. Within a step of length h, C' is (C - C0) / h, with C0 at
// its start: forces are those of C + (tau / h) (C - C0) in place of C, and have an energy
//   k/2 C^2 + k tau / (2 h) (C - C0)^2.
namespace rtsim::cloth {

template <class T>
struct TriangleRest {
  T a1, a2, b1, b2;  // [1/m]
  T area;            // A [m^2]
};

template <class T>
struct Threads {
  VecT<T, 3> u, v;  // w_u, w_v
};

template <class T>
RTSIM_HD Threads<T> threads(const TriangleRest<T>& r, const VecT<T, 3>& d1, const VecT<T, 3>& d2) {
  return {r.a1 * d1 + r.a2 * d2, r.b1 * d1 + r.b2 * d2};
}

template <class T>
struct Fabric {
  T warp, weft, shear;         // k_u, k_v, k_s [N/m]
  T warp_length, weft_length;  // r_u, r_v: of threads at rest over those of the mesh at rest
  T lag;                       // tau / h
};

template <class T>
struct Conditions {
  T u, v, shear;
};

template <class T>
RTSIM_HD Conditions<T> conditions(const Fabric<T>& k, const Threads<T>& w) {
  return {norm(w.u) - k.warp_length, norm(w.v) - k.weft_length, dot(w.u, w.v)};
}

// C + (tau / h) (C - C0)
template <class T>
RTSIM_HD Conditions<T> damped(const Fabric<T>& k, const Conditions<T>& c, const Conditions<T>& c0) {
  return {c.u + k.lag * (c.u - c0.u), c.v + k.lag * (c.v - c0.v),
          c.shear + k.lag * (c.shear - c0.shear)};
}

// Energies of an area [J/m^2].
template <class T>
RTSIM_HD Conditions<T> energies(const Fabric<T>& k, const Conditions<T>& c) {
  return {T(0.5) * k.warp * c.u * c.u, T(0.5) * k.weft * c.v * c.v,
          T(0.5) * k.shear * c.shear * c.shear};
}

template <class T>
RTSIM_HD VecT<T, 3> unit(const VecT<T, 3>& w) {
  const T length = norm(w);
  return length > 0 ? T(1) / length * w : VecT<T, 3>{};
}

// Slopes of the energy of an area by w_u and w_v [N/m], of damped conditions e.
template <class T>
RTSIM_HD Threads<T> pulls(const Fabric<T>& k, const Threads<T>& w, const Conditions<T>& e) {
  return {k.warp * e.u * unit(w.u) + k.shear * e.shear * w.v,
          k.weft * e.v * unit(w.v) + k.shear * e.shear * w.u};
}

// Forces on corners 1 and 2 [N]; on corner 0 minus their sum.
template <class T>
RTSIM_HD Threads<T> corner_forces(const TriangleRest<T>& r, const Threads<T>& p) {
  return {-r.area * (r.a1 * p.u + r.b1 * p.v), -r.area * (r.a2 * p.u + r.b2 * p.v)};
}

// Second slopes of the energy of an area by (w_u, w_v): uv is that by w_u, then by w_v.
template <class T>
struct WeaveTangent {
  Mat3<T> uu, vv, uv;
};

// k ((1 + lag) n n^T + e (I - n n^T) / |w|) of one thread; the part of e < 0, a compressed one, is
// not positive and left out where `positive` asks for it (Choi & Ko, "Stable but Responsive Cloth",
// SIGGRAPH 2002, section 4, for the same reason).
template <class T>
RTSIM_HD Mat3<T> thread_tangent(T k, T lag, const VecT<T, 3>& w, T e, bool positive) {
  const VecT<T, 3> n = unit(w);
  const T length = norm(w);
  const T across = length > 0 && !(positive && e < 0) ? k * e / length : 0;
  return outer((k * (1 + lag) - across) * n, n) + diagonal(across);
}

// Of the shear's second term, e_s (0 I; I 0), half the eigenvalues are e_s and half -e_s; positive
// means that the latter sign is left out: |e_s| / 2 (I +-I; +-I I).
template <class T>
RTSIM_HD WeaveTangent<T> weave_tangent(const Fabric<T>& k, const Threads<T>& w,
                                       const Conditions<T>& e, bool positive) {
  const T stiff = k.shear * (1 + k.lag), turn = k.shear * e.shear;
  const T kept = positive ? T(0.5) * (turn < 0 ? -turn : turn) : 0;
  return {
      thread_tangent(k.warp, k.lag, w.u, e.u, positive) + outer(stiff * w.v, w.v) + diagonal(kept),
      thread_tangent(k.weft, k.lag, w.v, e.v, positive) + outer(stiff * w.u, w.u) + diagonal(kept),
      outer(stiff * w.v, w.u) + diagonal(positive ? T(0.5) * turn : turn)};
}

// d^2 E / dx_i dx_j of two corners.
template <class T>
RTSIM_HD Mat3<T> corner_tangent(const TriangleRest<T>& r, const WeaveTangent<T>& t, int i, int j) {
  const T a[3] = {-(r.a1 + r.a2), r.a1, r.a2}, b[3] = {-(r.b1 + r.b2), r.b1, r.b2};
  return (r.area * a[i] * a[j]) * t.uu + (r.area * b[i] * b[j]) * t.vv +
         (r.area * a[i] * b[j]) * t.uv + (r.area * b[i] * a[j]) * transposed(t.uv);
}

}  // namespace rtsim::cloth
