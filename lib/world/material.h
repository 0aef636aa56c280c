#pragma once
#include <optional>

#include "base/vec.h"

namespace rtsim {

// What a body or a boundary is like where rigid bodies touch it; empty: as the stage says.
struct Material {
  std::optional<double> friction;            // across the axis
  std::optional<double> static_friction;     // likewise; none: as friction
  std::optional<double> friction_along;      // the axis; none: as friction
  Vec3d friction_axis;                       // in the frame of its shape, of any length
  std::optional<double> restitution;         // ratio of speeds
  std::optional<double> rolling_resistance;  // [m]
};

}  // namespace rtsim
