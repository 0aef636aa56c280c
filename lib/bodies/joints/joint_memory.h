#pragma once
#include "bodies/joints/joint_order.h"

namespace rtsim {

// What joints take [bytes], with the blocks of their equations. Those of a hub in loops, which are
// eliminated after it, fill a matrix among themselves.
double joint_bytes(const std::vector<JointEnds>&, Index bodies, int dim);

}  // namespace rtsim
