#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "region/half_spaces.h"

// Launchers of nozzles.
namespace rtsim::emit {

// v(x) = jet + velocity + angular x (x - centre): the jet, and the nozzle's own motion.
struct Stream {
  Vec<3> velocity;          // [m/s] jet and nozzle at the centre
  Vec<3> angular_velocity;  // [rad/s]
  Vec<3> centre;            // [m]
};

// Rows inside the region get the velocity of the stream. Returns the kinetic energy that this gave
// them, for a row's mass [m^2/s^2].
template <int D>
double guide(const Exec&, const region::HalfSpaces&, const Stream&, Span<const Vec<D>> position,
             Span<Vec<D>> velocity);

}  // namespace rtsim::emit
