#pragma once
#include <string>
#include <vector>

#include "bodies/shapes/body_shape.h"
#include "world/world.h"

namespace rtsim {

// One body at the start.
struct BodyStart {
  int shape;                          // of the set
  double mass;                        // [kg]
  Vec3d position;                     // [m] of the centre of mass
  std::array<double, 4> orientation;  // the unit quaternion (x, y, z, w)
  Vec3d velocity;                     // [m/s]
  Vec3d angular_velocity;             // [rad/s], in the world's axes
};

// Adds the table <name>, a row for each body, with the state columns `position` [m], `orientation`
// (kernels/rigid/body.h), `velocity` [m/s], `angular_velocity` [rad/s], `mass` [kg], `inertia`
// [kg m^2], `shape` (i32), `force` [N] and `torque` [N m] about the centre of mass, which couplers
// add to and the solver of the bodies takes and zeroes at the end of its step, and `id`.
void add_bodies(World&, const std::string& name, const BodySet&, const std::vector<BodyStart>&);

}  // namespace rtsim
