#pragma once
#include "bodies/joints/joint_order.h"
#include "bodies/make_bodies.h"

namespace rtsim {

// What is wrong with a joint, and at which of its keys.
struct JointProblem {
  std::string key, message;
};

// Adds the joints of one entry to the set. Where there are problems it adds none.
std::vector<JointProblem> make_joints(const JointSpec&, MadeBodies&);

// As far as is known how many copies there are.
std::vector<JointEnds> estimate_joints(const BodiesSpec&, int dim);

}  // namespace rtsim
