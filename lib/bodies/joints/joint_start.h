#pragma once
#include <string>

#include "base/vec.h"
#include "rigid/joints/joint.h"

namespace rtsim {

// One joint when the run starts.
struct JointStart {
  std::string name;  // of the only one of its entry; else empty
  rigid::JointKind kind;
  int a, b;            // rows of bodies; a < 0: the world
  Vec3d at, to, axis;  // [m], [m] and of any length but zero, in the world
  bool collide;
  bool stays;  // a distance that does not change
  rigid::Drive drive[3];
};

}  // namespace rtsim
