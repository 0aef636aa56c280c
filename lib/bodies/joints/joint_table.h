#pragma once
#include <string>

#include "bodies/joints/joint_start.h"
#include "rigid/joints/joints.h"
#include "world/world.h"

namespace rtsim {

// The joints of the bodies of an object, a row for each, for frames: derived columns `bodies` (-1:
// the world), `kind` (rigid::JointKind), `position` [m] where its force acts, `force` [N] on the
// second body and `torque` [N m] about that place, `coordinate` [rad], [m] and `drive` [N m], [N]
// of what it leaves free. There is none where there are no joints.
std::string joint_table(const std::string& bodies);

template <int D>
void add_joint_table(World&, const std::string& bodies, const std::vector<JointStart>&);

template <int D>
void fill_joint_table(World&, const std::string& bodies, const rigid::JointSystem<D>&,
                      const rigid::Bodies<D>&, const rigid::JointLoads<D>&);

}  // namespace rtsim
