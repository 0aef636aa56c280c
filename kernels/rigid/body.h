#pragma once
#include "base/vec.h"
#include "exec/span.h"

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

RTSIM_HD inline Vec<2> rotated(const Orientation<2>& q, const Vec<2>& v) {
  return {{q[0] * v[0] - q[1] * v[1], q[1] * v[0] + q[0] * v[1]}};
}
RTSIM_HD inline Vec<2> rotated_back(const Orientation<2>& q, const Vec<2>& v) {
  return {{q[0] * v[0] + q[1] * v[1], q[0] * v[1] - q[1] * v[0]}};
}

// v + 2 u x (u x v + w v), of q = (u, w).
RTSIM_HD inline Vec<3> rotated(const Orientation<3>& q, const Vec<3>& v) {
  const Vec<3> u{{q[0], q[1], q[2]}};
  const Vec<3> t = Real(2) * cross(u, v);
  return v + q[3] * t + cross(u, t);
}
RTSIM_HD inline Vec<3> rotated_back(const Orientation<3>& q, const Vec<3>& v) {
  return rotated(Orientation<3>{{-q[0], -q[1], -q[2], q[3]}}, v);
}

// Velocity at an arm r [m] from the centre: w x r.
RTSIM_HD inline Vec<2> turning(const Angular<2>& w, const Vec<2>& r) {
  return {{-w[0] * r[1], w[0] * r[0]}};
}
RTSIM_HD inline Vec<3> turning(const Angular<3>& w, const Vec<3>& r) { return cross(w, r); }

// Moment of p at an arm r [m]: r x p.
RTSIM_HD inline Angular<2> moment(const Vec<2>& r, const Vec<2>& p) {
  return {{r[0] * p[1] - r[1] * p[0]}};
}
RTSIM_HD inline Angular<3> moment(const Vec<3>& r, const Vec<3>& p) { return cross(r, p); }

// The columns of a table of bodies, see lib/bodies/add_bodies.h.
template <int D>
struct Bodies {
  Span<Vec<D>> position;  // [m] of centres of mass
  Span<Orientation<D>> orientation;
  Span<Vec<D>> velocity;              // [m/s]
  Span<Angular<D>> angular_velocity;  // [rad/s], in the world's axes
  Span<const Real> mass;              // [kg]
  Span<const Angular<D>> inertia;     // [kg m^2] about the body's axes
};

}  // namespace rtsim::rigid
