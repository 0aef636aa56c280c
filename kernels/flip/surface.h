#pragma once
#include "advection/sample.h"
#include "flip/runs.h"

// How far cells are from the boxes of particles: one text for a particle and for eight.
namespace rtsim::flip {

constexpr Real far_off = Real(1.5), full = -1;  // [cells]
constexpr Index box_reach = 2;                  // of boxes so far off

// `off`: from a box's middle, whose half side is `half` [cells].
template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline T square_to_box(const T (&off)[D], Real half) {
  const T none(Real(0));
  T square(Real(0));
  for (int a = 0; a < D; ++a) {
    const T beyond = greatest(none, greatest(off[a], none - off[a]) - T(half));
    square = square + beyond * beyond;
  }
  return square;
}

// The CPU-shaped form: eight particles at once.
template <int D>
void distance_lines(const Exec&, const mac::Domain&, const Particles<D>&, Real half,
                    Span<Real> distance);

}  // namespace rtsim::flip
