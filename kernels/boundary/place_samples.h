#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for samples that follow a moving boundary.
namespace rtsim::boundary {

// x = rotation local + translation, v = velocity + angular x (x - centre).
struct Pose {
  Vec<3> rotation[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};  // by rows
  Vec<3> translation;                                            // [m]
  Vec<3> velocity;                                               // [m/s] at the centre
  Vec<3> angular_velocity;                                       // [rad/s]
  Vec<3> centre;                                                 // [m]
};

template <int D>
void place_samples(const Exec&, const Pose&, Span<const Vec<D>> local, Span<Vec<D>> position,
                   Span<Vec<D>> velocity);

}  // namespace rtsim::boundary
