#pragma once
#include <functional>
#include <optional>

#include "sim/build/build.h"

namespace rtsim {

// Lets the particles that fills made find the places where their stage's own law holds them, before
// the first step: a lattice is not what a kernel's sum takes for rest density, and where it met a
// wall rows were moved. What is compressed would fly apart with energy that nobody fed: 0.075 % in
// a column of 0.5 m, given back in a step of 1 ms, is 0.4 m/s at its top.
//
// Steps of the stages that move particles, without gravity and from rest each, until one moves
// nothing by more than a ten-thousandth of a spacing; then, where it is asked for, under gravity,
// so that the lattice buckles before the first step and not in the run. Velocities, and all that is
// not the particles' own, are afterwards as they were. What flies apart meanwhile starts as it was
// filled in, with a warning. Returns how many steps were taken; none where `stopped` said that
// there is no more time, and all is as it was filled in.
std::optional<int> settle(Simulation&, double dt, const std::function<bool()>& stopped = {});

}  // namespace rtsim
