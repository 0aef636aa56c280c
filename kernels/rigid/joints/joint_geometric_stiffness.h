#pragma once
#include "rigid/joints/joint.h"

// A force f at an arm r resists a turn of its body by K = (f r) 1 - (r f^T + f r^T) / 2, the
// geometric stiffness: Andrews, Teichmann & Kry, "Geometric stiffness for real-time constrained
// multibody dynamics", Eurographics 2017. Joints are solved for velocities, which takes f as it is,
// and that bursts where h^2 K > 4 I, as in the links of a chain that bears ten thousand of them.
// The bodies of such a joint then turn against one another, under the joints alone, as if they had
// an inertia B between them: its reaction acts on both, so that angular momentum is kept.
//
// B follows the force, and as it changes, its energy must not: with the spin w of its joint it
// would get B w^2 / 2 from nowhere. So it has a spin of its own, and sqrt(B) times that is kept
// from one solve, which ends with the joint's, to the next. A solve projects the motion of bodies
// and inertias: it leaves them no more energy than they had, but for what takes back errors. The
// energy of bodies alone may rise, as B gives back what it took.
//
// That alone keeps waves that are far too fast for the substeps, and a load of many links that
// holds on to them makes forces between the links swing by more than they are: chains that whip
// feed such a rattle until they burst. So what the turn itself changes of the force's moment in a
// substep, h K w, acts too, as by implicit Euler: Tournier et al., "Stable constrained dynamics",
// SIGGRAPH 2015, section 4. A wave of length l and frequency W in links of r to
// each end loses h W^2 (2 pi r / l)^2 of its height in a second.
namespace rtsim::rigid {

// h^2 K / I at most. 4 is the limit of a single turn, but forces between links lag and swing about
// what they are: chains of 100 links that swing with 1e4 times a link's mass burst at 2 and rattle
// at 0.5.
constexpr double most_stiffness = 0.25;

// What a joint adds to the turn of its bodies against one another.
struct GeometricStiffness {
  double inertia = 0;  // [kg m^2]
  double damping = 0;  // [kg m^2] h times a torque to a speed
};

// The inertia that a body of a least moment lacks for an impulse p in h: h^2 K / most_stiffness
// less that moment, K at most (|f| |r| + f r) / 2. Between links it works as far as they turn
// against one another; where they hardly do, their masses resist. (By n = h^2 K / 4, a wave whose
// neighbours differ by a share s has m r^2 / s + B s of it, which is at least n with B = 16 n up to
// n = 64 m r^2.) An inertia that grew with the square of K would run away after a blow.
template <int D>
RTSIM_HD GeometricStiffness lacking_inertia(double h, const VecT<double, D>& p,
                                            const VecT<double, D>& r, double least, double mass) {
  const double n = h * 0.5 * (norm(p) * norm(r) + dot(p, r)) / most_stiffness;
  // A body that swings at its arm has m r^2 besides, and is not to be damped as a pendulum.
  const double swinging = least + mass * dot(r, r);
  return {n > least ? n - least : 0, n > swinging ? most_stiffness * (n - swinging) : 0};
}
RTSIM_HD inline GeometricStiffness most(const GeometricStiffness& a, const GeometricStiffness& b) {
  return {a.inertia > b.inertia ? a.inertia : b.inertia,
          a.damping > b.damping ? a.damping : b.damping};
}

// Whether the row is a free turn between the bodies.
template <int D>
RTSIM_HD bool turns_freely(const JointRow<D>& row, const GeometricStiffness& geometric_stiffness) {
  return geometric_stiffness.inertia > 0 && dot(row.along, row.along) == 0 &&
         dot(row.about_a, row.about_a) > 0;
}

}  // namespace rtsim::rigid
