#pragma once
#include "rigid/motion/motion.h"

// Launchers that look at which bodies sleep, and which may.
namespace rtsim::rigid {

template <int D>
struct Sleepers {
  Bodies<D> bodies;
  Span<const std::int32_t> island;  // negative: awake
};

// Of each body: whether it stands, asleep or moved by no impulse.
template <int D>
void find_resting(const Exec&, const Sleepers<D>&, Span<std::uint8_t> rests);

// How many bodies forces or new velocities call from their sleep, and which are called.
template <int D>
Index find_pushed(const Exec&, const Sleepers<D>&, const Loads<D>&, Span<std::uint8_t> called);

// Adds a step [s] to the times [s] of bodies slower than `speed` [m/s] at the point farthest from
// their centres, `reach` [m] of their shapes away; those of others end.
struct Stillness {
  Real dt, speed;
  Span<const std::int32_t> shape;
  Span<const Real> reach;
};
template <int D>
void count_still(const Exec&, const Stillness&, const Bodies<D>&, Span<Real> still);

// How many that are awake have been still for `after` [s].
template <int D>
Index count_ready(const Exec&, const Sleepers<D>&, Span<const Real> still, Real after);

Index count_asleep(const Exec&, Span<const std::int32_t> island);

}  // namespace rtsim::rigid
