#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for what takes the ways of a step in equal parts, so that no part is longer than what
// contact resolves without stopping points short.
namespace rtsim::contact {

struct WayParts {
  Span<Vec<3>> from;      // where a part begins [m]
  Span<Vec<3>> end;       // where the last one is to end [m]
  Span<Vec<3>> velocity;  // when the part began [m/s]
};

// Where the first of `left` parts ends.
void aim(const Exec&, const WayParts&, int left, Span<Vec<3>> x);

// After contact has moved x and changed v: points go on as their velocities were changed, for the
// time [s] of the parts behind this one.
void go_on(const Exec&, const WayParts&, int left, Real time, Span<const Vec<3>> x,
           Span<const Vec<3>> v);

}  // namespace rtsim::contact
