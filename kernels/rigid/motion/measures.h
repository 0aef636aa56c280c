#pragma once
#include "exec/exec.h"
#include "rigid/contacts/contact_block.h"
#include "rigid/motion/motion.h"

namespace rtsim::rigid {

struct MotionSums {
  double mass = 0;                    // [kg]
  double kinetic = 0, potential = 0;  // [J]
  double momentum[3] = {};            // [kg m/s]
  double angular_momentum[3] = {};    // [kg m^2/s] about the origin; in the plane the last
};

template <int D>
MotionSums sums(const Exec&, const Vec<D>& gravity, const BodyStates<D>&);

struct ContactFigures {
  double penetration = 0;  // [m] the largest
  double residual = 0;     // [m/s] the fastest approach of what presses
  double points = 0;       // that press
};

// Of the end of the step that the blocks were made for.
template <int D>
ContactFigures contact_figures(const Exec&, Span<const ContactBlock<D>>,
                               Span<const Row4> solver_bodies);

template <int D>
Real greatest_spin(const Exec&, const Rows&, const BodyStates<D>&);  // [rad/s]

// The first row whose velocity or angular velocity is not finite, or -1.
template <int D>
Index first_astray(const Exec&, const Rows&, const BodyStates<D>&);

// Launchers that look at which bodies sleep, and which may.

template <int D>
struct Sleepers {
  BodyStates<D> bodies;
  Span<const std::int32_t> island;  // negative: awake
};

// Of each body: whether it stands, asleep or moved by no impulse. Returns of how many that is new.
template <int D>
Index find_resting(const Exec&, const Rows&, const Sleepers<D>&, Span<std::uint8_t> rests);

// How many bodies forces or new velocities call from their sleep, and which are called.
template <int D>
Index find_pushed(const Exec&, const Sleepers<D>&, const Loads<D>&, Span<std::uint8_t> called);

// Adds a step [s] to the times [s] of bodies that are awake and slower than `speed` [m/s] at the
// point farthest from their centres, `reach` [m] of their shapes away; those of others end.
struct Stillness {
  Real dt, speed;
  Span<const std::int32_t> shape;
  Span<const Real> reach;
};
template <int D>
void count_still(const Exec&, const Rows&, const Stillness&, const Sleepers<D>&, Span<Real> still);

// How many that are awake have been still for `after` [s].
template <int D>
Index count_ready(const Exec&, const Rows&, const Sleepers<D>&, Span<const Real> still, Real after);

}  // namespace rtsim::rigid
