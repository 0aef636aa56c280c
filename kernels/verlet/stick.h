#pragma once
#include <cmath>

#include "base/vec.h"

namespace rtsim::verlet {

// Which distances of its ends a stick allows: its length, that or more, that or less.
enum StickKind : std::uint32_t { rod = 0, at_least = 1, at_most = 2 };

// How much too long a stick is, as a share of how long it is: (|d| - r) / |d| with d = x2 - x1.
RTSIM_HD inline Real stretch(const Vec<3>& d, Real r) {
  const Real length = norm(d);
  return length > 0 ? (length - r) / length : Real(0);
}

// The same from the square root's Taylor series at r^2, |d| ~ (d.d + r^2) / (2 r): no root
// (Jakobsen, "Advanced Character Physics", GDC 2001, sec. 4):  1 - 2 r^2 / (d.d + r^2).
RTSIM_HD inline Real stretch_without_root(const Vec<3>& d, Real r) {
  return 1 - 2 * r * r / (dot(d, d) + r * r);
}

RTSIM_HD inline bool allows(std::uint32_t kind, Real stretch) {
  return (kind == at_least && stretch >= 0) || (kind == at_most && stretch <= 0);
}

}  // namespace rtsim::verlet
