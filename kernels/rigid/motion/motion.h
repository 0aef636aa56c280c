#pragma once
#include "exec/exec.h"
#include "rigid/motion/rows.h"
#include "rigid/motion/solver_body.h"

// Launchers for how rigid bodies move: those of the rows that they are given.
namespace rtsim::rigid {

template <int D>
struct Loads {
  Span<Vec<D>> force;       // [N]
  Span<Angular<D>> torque;  // [N m]
};

// What contacts do to a body in a substep, so that the impulses of the last one may act again at
// the start of the next without asking the contacts: whatever changes a body's velocities past
// `since` is theirs.
template <int D, class T = Real>
struct Push {
  VecT<T, D> velocity;              // [m/s] impulse over mass
  VecT<T, D == 2 ? 1 : 3> angular;  // [N m s]
  Twist<D, T> since;
};

// Rows for the bodies, with nothing moved yet, and no pushes. The rows behind them stand still.
// Nothing moves those that have an `island` (all are awake where there is no such column).
template <int D>
void begin_motion(const Exec&, const Rows&, const Bodies<D>&, Span<const std::int32_t> island,
                  Span<Row4> solver_bodies, Span<Push<D>>);

struct Kick {
  Real h;
  Vec3d gravity;
  double linear_kept, angular_kept;  // of velocities, after damping
};

// v += h (g + F / m), w += h I^-1 T; and the pushes, unless `push` follows.
template <int D>
void kick(const Exec&, const Rows&, const Kick&, const Bodies<D>&, const Loads<D>&,
          Span<const std::int32_t> island, bool push, Span<Push<D>>, Span<Row4> solver_bodies);

// The pushes alone, where impacts come before them.
template <int D>
void push(const Exec&, const Rows&, Span<Push<D>>, Span<Row4> solver_bodies);

// What orientations [] and angular velocities [rad/s] round where a body turns freely: a racket
// that spins about its middle axis flips at a time that the last digits decide. In the plane there
// are none.
template <int D>
struct TurnRests {
  Span<Orientation<D>> orientation;
  Span<Angular<D>> angular_velocity;
};

// Moves bodies and turns them; `touched` is 0 of those in free flight, and `held` of those whose
// free turning keeps their angular momentum as it does there. Those that are `carried`, if any,
// have moved already (kernels/rigid/joints/joint_fast_rotation.h). Boundaries, whose rows follow
// the bodies', move with the twists of these.
constexpr std::uint8_t held = 2;
template <int D>
void drift(const Exec&, const Rows&, const Kick&, const Bodies<D>&, const Loads<D>&,
           Span<const std::uint8_t> touched, Span<const std::uint8_t> carried,
           Span<const std::int32_t> island, const TurnRests<D>&, Span<Push<D>>,
           Span<Row4> solver_bodies);

// Back into the columns; loads are zeroed. `rest`, if any, keeps what positions round [m].
template <int D>
void end_motion(const Exec&, const Rows&, const Bodies<D>&, const Loads<D>&, Span<Vec<D>> rest,
                Span<const Row4> solver_bodies);

}  // namespace rtsim::rigid
