#pragma once
#include "rigid/joints/joint_blocks.h"
#include "rigid/motion/solver_body.h"

// Joints as kernels see them. All in doubles, whatever Real is: a chain that carries 1e4 times a
// link's mass has equations whose answers differ by that much in size.
namespace rtsim::rigid {

enum class JointKind : std::int32_t { ball, hinge, slider, fixed, distance };

// Rows of a joint, and degrees of freedom of a body.
template <int D>
constexpr int freedoms = D == 2 ? 3 : 6;

template <int D>
constexpr int spins = D == 2 ? 1 : 3;

template <int D>
using Turn = VecT<double, D == 2 ? 2 : 4>;  // as Orientation<D>
template <int D>
using Spin = VecT<double, spins<D>>;

// Where a body is.
template <int D>
struct Place {
  VecT<double, D> x;  // [m]
  Turn<D> q;
};

// What a body is to its joints.
template <int D>
struct Weight {
  double mass, inverse_mass;                 // [kg], [1/kg]
  double least_moment, least_radius;         // [kg m^2], of gyration [m]
  Spin<D> moments;                           // along its own axes
  Block<spins<D>> inertia, inverse_inertia;  // in the world's
};

enum class DriveKind : std::int32_t { none, spring, motor };

// What acts along one free coordinate of a joint.
struct Drive {
  double low = -1e300, high = 1e300;            // [rad] or [m]
  double stiffness = 0, damping = 0, rest = 0;  // of a spring
  double speed = 0, strength = 0;               // of a motor
  DriveKind kind = DriveKind::none;
};

template <int D>
struct Joint {
  static constexpr int drives = 3;  // of a ball: twist, swing, across; of others the first
  JointKind kind;
  Index a, b;                          // rows of bodies; a < 0: the world
  VecT<double, D> anchor_a, anchor_b;  // [m] in their frames
  Turn<D> frame_a, frame_b;            // the joint's axes in theirs; its axis is z, in 2D x
  double length;                       // [m] of a distance
  bool stays;                          // a distance that does not change
  Drive drive[drives];
};

// One equation on the velocities: n (v_b - v_a) + m_b w_b - m_a w_a.
template <int D>
struct JointRow {
  enum Mode : std::int32_t { absent, stiff, driven };
  VecT<double, D> along;
  Spin<D> about_a, about_b;
  double value;       // [m] or [rad]: error of a stiff row, coordinate of a driven one
  double compliance;  // where it is stiff, or a motor
  Mode mode;
  std::int32_t drive;
};

// From the bodies' centres to where the impulse of a joint acts [m].
template <int D>
struct JointArms {
  VecT<double, D> a, b;
};

// What a driven row does.
enum DriveState : std::int32_t { weak = -2, lowest = -1, acting = 0, highest = 1, strong = 2 };

}  // namespace rtsim::rigid
