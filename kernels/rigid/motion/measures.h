#pragma once
#include "exec/exec.h"
#include "rigid/contacts/contact_block.h"

namespace rtsim::rigid {

struct MotionSums {
  double mass = 0;                    // [kg]
  double kinetic = 0, potential = 0;  // [J]
  double momentum[3] = {};            // [kg m/s]
  double angular_momentum[3] = {};    // [kg m^2/s] about the origin; in the plane the last
};

template <int D>
MotionSums sums(const Exec&, const Vec<D>& gravity, const Bodies<D>&);

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
Real greatest_spin(const Exec&, const Bodies<D>&);  // [rad/s]

// The first row whose velocity or angular velocity is not finite, or -1.
template <int D>
Index first_astray(const Exec&, const Bodies<D>&);

}  // namespace rtsim::rigid
