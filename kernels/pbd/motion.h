#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers for what position-based substeps do to points before and after their constraints.
namespace rtsim::pbd {

struct Points {
  Span<Vec<3>> position, velocity;
  Span<const Real> inverse_mass;  // 0 of held points
  Span<const Vec<3>> target;      // of held ones, at the end of the step
};

// Points within a step.
struct Moving {
  Span<Row4> place;   // with the inverse mass: what constraints move
  Span<Row4> begin;   // where the substep began, likewise
  Span<Row4> motion;  // velocity, and 0
};

struct Substep {
  Real h;          // [s]
  Vec<3> gravity;  // [m/s^2]
  Real kept;       // exp(-h damping), what is left of a velocity
  Real left;       // substeps to the end of the step, this one included
};

// Takes the points, then symplectic Euler: v' = kept v + h g, x' = x + h v': at rest gravity is all
// there. Held points move so that they reach their target at the end of the step.
void predict(const Exec&, const Substep&, const Points&, const Moving&);

// What constraints did: v += (x - x') / h. Not v = (x - x_before) / h: positions of many metres
// have too few digits left for what a short substep adds. Gives the points back.
void settle(const Exec&, const Substep&, const Points&, const Moving&);

// Both between two substeps of a step.
void settle_and_predict(const Exec&, const Substep&, const Moving&);

// Where points are, with their inverse masses w, and x + h w J of impulses J; none: x.
void place(const Exec&, const Points&, Span<Row4> at);
void shift(const Exec&, Real h, Span<const Row4> from, Span<const Vec<3>> impulse, Span<Row4> to);
// (to - from) / h
void velocities(const Exec&, Real h, Span<const Row4> from, Span<const Row4> to, Span<Vec<3>> v);

// The lowest row whose velocity is not finite, or -1.
Index first_astray(const Exec&, Span<const Vec<3>> velocity);

}  // namespace rtsim::pbd
