#pragma once
#include "base/quaternion.h"
#include "base/vec.h"
#include "exec/span.h"
#include "lanes/lanes.h"

// Rigid bodies as kernels see them. A body's frame has its origin at the centre of mass and its
// axes along the principal ones of inertia.
namespace rtsim::rigid {

// Angular velocities [rad/s], torques [N m], angular impulses [N m s], moments of inertia: about z
// in the plane, where they are areal.
template <int D>
using Angular = VecT<Real, D == 2 ? 1 : 3>;

// From the body's frame to the world's: (cos, sin) in the plane, else the unit quaternion
// (x, y, z, w).
template <int D>
using Orientation = VecT<Real, D == 2 ? 2 : 4>;

// Written out with fused products, as kernels on contacts spend their time here.
template <class T>
RTSIM_HD VecT<T, 3> fused_cross(const VecT<T, 3>& a, const VecT<T, 3>& b) {
  return {{fnma(a[2], b[1], a[1] * b[2]), fnma(a[0], b[2], a[2] * b[0]),
           fnma(a[1], b[0], a[0] * b[1])}};
}
template <class T, int D>
RTSIM_HD T fused_dot(const VecT<T, D>& a, const VecT<T, D>& b, T sum) {
  for (int k = 0; k < D; ++k) sum = fma(a[k], b[k], sum);
  return sum;
}

// a v + to
template <class T, int D>
RTSIM_HD VecT<T, D> fused_add(T a, const VecT<T, D>& v, VecT<T, D> to) {
  for (int k = 0; k < D; ++k) to[k] = fma(a, v[k], to[k]);
  return to;
}

// Velocity at an arm r [m] from the centre: w x r.
template <class T>
RTSIM_HD VecT<T, 2> turning(const VecT<T, 1>& w, const VecT<T, 2>& r) {
  return {{-(w[0] * r[1]), w[0] * r[0]}};
}
template <class T>
RTSIM_HD VecT<T, 3> turning(const VecT<T, 3>& w, const VecT<T, 3>& r) {
  return fused_cross(w, r);
}

// Moment of p at an arm r [m]: r x p.
template <class T>
RTSIM_HD VecT<T, 1> moment(const VecT<T, 2>& r, const VecT<T, 2>& p) {
  return {{fnma(r[1], p[0], r[0] * p[1])}};
}
template <class T>
RTSIM_HD VecT<T, 3> moment(const VecT<T, 3>& r, const VecT<T, 3>& p) {
  return fused_cross(r, p);
}

// The columns of a table of bodies, see lib/bodies/make_bodies.h.
template <int D>
struct Bodies {
  Span<Vec<D>> position;  // [m] of centres of mass
  Span<Orientation<D>> orientation;
  Span<Vec<D>> velocity;              // [m/s]
  Span<Angular<D>> angular_velocity;  // [rad/s], in the world's axes
  Span<const Real> mass;              // [kg]
  Span<const Angular<D>> inertia;     // [kg m^2] about the body's axes
};

// The same for who only looks at them.
template <int D>
struct BodyStates {
  Span<const Vec<D>> position;
  Span<const Orientation<D>> orientation;
  Span<const Vec<D>> velocity;
  Span<const Angular<D>> angular_velocity;
  Span<const Real> mass;
  Span<const Angular<D>> inertia;
};

}  // namespace rtsim::rigid
