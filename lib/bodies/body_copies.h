#pragma once
#include <array>
#include <cstdint>

#include "bodies/body_spec.h"

namespace rtsim {

struct BodyCopy {
  Vec3d shift;                 // [m]
  std::array<double, 4> turn;  // the unit quaternion (x, y, z, w)
};

// `size` [m] is that of the body along the axes, as it stands.
std::vector<BodyCopy> copies_of(const BodySpec&, const Vec3d& size, int dim, std::uint64_t seed,
                                std::uint64_t call);

// First b, then a.
std::array<double, 4> product(const std::array<double, 4>& a, const std::array<double, 4>& b);

}  // namespace rtsim
