#pragma once
#include "boundary/place_samples.h"
#include "shapes/motion.h"

namespace rtsim {

// A pose of the scene as kernels take it.
inline boundary::Pose to_kernel(const Pose& p) {
  boundary::Pose k;
  for (int r = 0; r < 3; ++r) k.rotation[r] = narrow<3>(p.row[r]);
  k.translation = narrow<3>(p.translation);
  k.velocity = narrow<3>(p.velocity);
  k.angular_velocity = narrow<3>(p.angular_velocity);
  k.centre = narrow<3>(p.centre);
  return k;
}

}  // namespace rtsim
