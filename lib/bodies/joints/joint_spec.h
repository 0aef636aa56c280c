#pragma once
#include <optional>
#include <string>
#include <vector>

#include "param/describe.h"
#include "rigid/joints/joint.h"

namespace rtsim {

// What turns or pushes along the axis that a joint leaves free.
struct JointMotorSpec {
  double speed = 0;     // [rad/s] of a hinge, [m/s] of others
  double strength = 0;  // [N m] of a hinge, [N] of others, at most
};

struct JointSpringSpec {
  double stiffness = 0;        // [N m/rad] of hinges and balls, [N/m] of others
  double damping = 0;          // [N m s/rad], [N s/m]
  std::optional<double> rest;  // [rad], [m]; none: where the joint starts
};

// The widest cone of a ball whose twist is limited [rad]: where the two axes are opposite the twist
// is not defined, and near there a small swing turns it far.
constexpr double widest_twisting = 2.8;

// What holds two bodies together, or copies of them in pairs.
struct JointSpec {
  std::string name;
  rigid::JointKind kind = rigid::JointKind::ball;
  std::string a, b;  // b: empty for the world
  Vec3d at, to, axis;
  std::vector<double> limits;  // [rad] of a hinge, [m] of others: none, or two
  std::optional<double> cone;  // [rad]
  std::vector<double> twist;   // [rad] none, or two
  std::optional<JointMotorSpec> motor;
  std::optional<JointSpringSpec> spring;
  bool collide = false;
};

void describe(Describe&, JointSpec&);

}  // namespace rtsim
