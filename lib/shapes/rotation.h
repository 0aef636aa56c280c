#pragma once
#include "base/vec.h"

namespace rtsim {

constexpr double pi = 3.14159265358979323846;

// A rotation by its rows: (R x)_i = dot(row[i], x).
struct Rotation {
  Vec3d row[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};

  Vec3d apply(const Vec3d& x) const { return {{dot(row[0], x), dot(row[1], x), dot(row[2], x)}}; }
  Vec3d apply_inverse(const Vec3d& x) const {
    return x[0] * row[0] + x[1] * row[1] + x[2] * row[2];
  }
};

// Rodrigues: R = c I + s [n]x + (1 - c) n n^T with c = cos(angle), s = sin(angle), n = axis /
// |axis|. An axis of length zero turns nothing.
inline Rotation rotation_about(const Vec3d& axis, double angle) {
  const double length = norm(axis);
  if (length == 0 || angle == 0) return {};
  const Vec3d n = (1 / length) * axis;
  const double c = std::cos(angle), s = std::sin(angle);
  Rotation r;
  for (int i = 0; i < 3; ++i) {
    Vec3d e;
    e[i] = 1;
    r.row[i] = c * e - s * cross(n, e) + ((1 - c) * n[i]) * n;
  }
  return r;
}

// First b, then a.
inline Rotation product(const Rotation& a, const Rotation& b) {
  Rotation r;
  for (int i = 0; i < 3; ++i) r.row[i] = b.apply_inverse(a.row[i]);
  return r;
}

}  // namespace rtsim
