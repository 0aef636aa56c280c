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

// The largest eigenvalue: Smith, "Eigenvalues of a symmetric 3 x 3 matrix", CACM 4, 1961.
RTSIM_HD inline double largest_eigenvalue(const Block<1>& a) { return a.at[0][0]; }
RTSIM_HD inline double largest_eigenvalue(const Block<3>& a) {
  const double mean = (a.at[0][0] + a.at[1][1] + a.at[2][2]) / 3;
  const double x = a.at[0][0] - mean, y = a.at[1][1] - mean, z = a.at[2][2] - mean;
  const double p = a.at[1][0], q = a.at[2][0], r = a.at[2][1];
  const double s = std::sqrt((x * x + y * y + z * z + 2 * (p * p + q * q + r * r)) / 6);
  if (!(s > 0)) return mean;
  const double det = x * (y * z - r * r) - p * (p * z - q * r) + q * (p * r - q * y);
  const double c = 0.5 * det / (s * s * s);
  return mean + 2 * s * std::cos(std::acos(c > 1 ? 1 : c < -1 ? -1 : c) / 3);
}

// K is that at most, about an axis in the plane of f and r. In two dimensions, where all turn
// across it, it stands for K, since forces of bars turn with their bodies.
template <int D>
RTSIM_HD double greatest_stiffness(const VecT<double, D>& f, const VecT<double, D>& r) {
  return 0.5 * (norm(f) * norm(r) + dot(f, r));
}
RTSIM_HD inline Block<1> stiffness_of(const VecT<double, 2>& f, const VecT<double, 2>& r) {
  return {{{greatest_stiffness(f, r)}}};
}
RTSIM_HD inline Block<3> stiffness_of(const Vec3d& f, const Vec3d& r) {
  Block<3> k;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      k.at[i][j] = (i == j ? dot(f, r) : 0) - 0.5 * (r[i] * f[j] + f[i] * r[j]);
  return k;
}

// The inertia that a body lacks for an impulse p in h, about any axis: the largest eigenvalue of
// h^2 K / most_stiffness - I, which of a slender rod that hangs on its end is less than nothing,
// though about its own axis it has next to no inertia. Between links it works as far as they turn
// against one another; where they hardly do, their masses resist. (By n = h^2 K / 4, a wave whose
// neighbours differ by a share s has m r^2 / s + B s of it, which is at least n with B = 16 n up to
// n = 64 m r^2.) An inertia that grew with the square of K would run away after a blow.
template <int D>
RTSIM_HD GeometricStiffness lacking_inertia(double h, const VecT<double, D>& p,
                                            const VecT<double, D>& r, const Weight<D>& body) {
  const double per = h / most_stiffness;
  if (!(per * greatest_stiffness(p, r) > body.least_moment)) return {};
  Block<spins<D>> lacks = stiffness_of(p, r), swinging = stiffness_of(r, r);
  for (int i = 0; i < spins<D>; ++i)
    for (int j = 0; j < spins<D>; ++j) {
      lacks.at[i][j] = per * lacks.at[i][j] - body.inertia.at[i][j];
      // A body that swings at its arm has m r^2 besides, and is not to be damped as a pendulum.
      swinging.at[i][j] = lacks.at[i][j] - body.mass * swinging.at[i][j];
    }
  const double b = largest_eigenvalue(lacks), damped = largest_eigenvalue(swinging);
  return {b > 0 ? b : 0, damped > 0 ? most_stiffness * damped : 0};
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
