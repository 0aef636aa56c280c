#pragma once
#include <optional>

#include "stage/stage_type.h"

namespace rtsim {

struct RigidParams {
  ObjectName bodies;
  ObjectNames boundary;
  int substeps = 4;
  double friction = 0.5;
  std::optional<double> static_friction;  // none: as friction
  double restitution = 0;
  double restitution_threshold = 0.5;  // [m/s]
  int impact_passes = 50;
  double rolling_resistance = 0;                   // [m]
  std::optional<double> contact_hertz;             // [Hz] none: min(35 Hz, 1 / (7 h))
  double contact_damping = 10;                     // ratio
  double push_speed = 3;                           // [m/s]
  std::optional<double> margin;                    // [m] none: by gravity and the thinnest body
  std::optional<double> sleep_after;               // [s] none: never
  double sleep_speed = 0.01;                       // [m/s]
  double linear_damping = 0, angular_damping = 0;  // [1/s]
};

void describe(Describe&, RigidParams&);

StageType rigid_type();

}  // namespace rtsim
