#pragma once
#include "rigid/joints/joint.h"

// A turn w moves the end of an arm r in h by (R(h w) - 1) r, with R by Rodrigues' formula, where
// equations of velocities take h w x r. The difference is of second order, and the next substep
// corrects it; but past a radian it is more than the arm itself, and a joint's error would grow
// with every substep.
namespace rtsim::rigid {

constexpr double fast_rotation_angle = 0.5;  // [rad] in a substep; slower ones are left to the next

// The difference as a velocity [m/s].
RTSIM_HD inline VecT<double, 2> second_order_velocity(const Spin<2>& w, const VecT<double, 2>& r,
                                                      double h) {
  const double t = h * w[0];
  if (std::abs(t) < fast_rotation_angle) return {};
  const double s = std::sin(t) - t, c = std::cos(t) - 1;
  return {{(c * r[0] - s * r[1]) / h, (c * r[1] + s * r[0]) / h}};
}
RTSIM_HD inline Vec3d second_order_velocity(const Spin<3>& w, const Vec3d& r, double h) {
  const double size = norm(w), t = h * size;
  if (t < fast_rotation_angle) return {};
  const Vec3d axis = (1 / size) * w, across = cross(axis, r);
  return ((std::sin(t) - t) / h) * across + ((1 - std::cos(t)) / h) * cross(axis, across);
}

}  // namespace rtsim::rigid
