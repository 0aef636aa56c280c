#pragma once
#include "mass_spring/implicit.h"
#include "mass_spring/mass_spring.h"

// The two sums over springs that take the time, eight points at once, for the CPU.
namespace rtsim::mass_spring {

void accelerate_lanes(const Exec&, const Acceleration&);
double multiply_lanes(const Exec&, const System&, Span<const Row4> p, Span<Row4> q);

}  // namespace rtsim::mass_spring
