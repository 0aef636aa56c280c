#pragma once
#include "exec/exec.h"
#include "rigid/mover.h"

// Launchers for how rigid bodies move.
namespace rtsim::rigid {

template <int D>
struct Loads {
  Span<Vec<D>> force;       // [N]
  Span<Angular<D>> torque;  // [N m]
};

// Rows for the bodies, with nothing moved yet. The rows behind them stand still.
template <int D>
void begin_motion(const Exec&, const Bodies<D>&, Span<Row4> movers);

struct Kick {
  Real h;
  Vec3d gravity;
  double linear_kept, angular_kept;  // of velocities, after damping
};

// v += h (g + F / m), w += h I^-1 T.
template <int D>
void kick(const Exec&, const Kick&, const Bodies<D>&, const Loads<D>&, Span<Row4> movers);

// Moves bodies and turns them; `touched` is 0 of those in free flight. Boundaries move with the
// twists of their rows.
template <int D>
void drift(const Exec&, const Kick&, const Bodies<D>&, const Loads<D>&,
           Span<const std::uint8_t> touched, Span<Row4> movers);

// Back into the columns; loads are zeroed.
template <int D>
void end_motion(const Exec&, const Bodies<D>&, const Loads<D>&, Span<const Row4> movers);

}  // namespace rtsim::rigid
