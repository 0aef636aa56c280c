#pragma once
#include "bodies/make_bodies.h"

namespace rtsim {

// What is wrong with a joint, and at which of its keys.
struct JointProblem {
  std::string key, message;
};

// Adds the joints of one entry to the set. Where there are problems it adds none.
std::vector<JointProblem> make_joints(const JointSpec&, MadeBodies&);

double estimate_joints(const BodiesSpec&, int dim);  // how many there will be

}  // namespace rtsim
