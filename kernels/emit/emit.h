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

  RTSIM_HD Vec<3> at(const Vec<3>& x) const {
    return velocity + cross(angular_velocity, x - centre);
  }
};

// v(x) = velocity + gradient (x - centre): a nozzle that deforms besides.
struct LinearStream {
  Vec<3> velocity;     // [m/s] jet and nozzle at the centre
  Vec<3> gradient[3];  // [1/s], by rows
  Vec<3> centre;       // [m]

  RTSIM_HD Vec<3> at(const Vec<3>& x) const {
    const Vec<3> d = x - centre;
    return velocity + Vec<3>{{dot(gradient[0], d), dot(gradient[1], d), dot(gradient[2], d)}};
  }
};

// Rows inside the region get the velocity of the stream. Returns the kinetic energy that this gave
// them, for a row's mass [m^2/s^2].
template <int D, class S>
double guide(const Exec&, const region::HalfSpaces&, const S& stream, Span<const Vec<D>> position,
             Span<Vec<D>> velocity);

}  // namespace rtsim::emit
