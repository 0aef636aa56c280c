#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"

// Launchers for points that are pushed by contact and take along what they hang together with.
namespace rtsim::contact {

// Of one round of pushes, of all points.
struct Round {
  Span<Vec<3>> impulse;  // J [N s]
  Span<Vec<3>> change;   // dv, which solvers say comes of J [m/s]
};

// J = c / w of points that are not held, from what changed their velocities by c = s (after -
// before); returns the sum of J . c [J].
double find_impulses(const Exec&, Span<const Real> w, Span<const Vec<3>> before,
                     Span<const Vec<3>> after, Real s, Span<Vec<3>> impulse);

// dv = w J: points that nothing holds together.
void respond_alone(const Exec&, Span<const Real> w, Span<const Vec<3>> impulse,
                   Span<Vec<3>> change);

// The sum of J . v [J].
double work(const Exec&, Span<const Vec<3>> impulse, Span<const Vec<3>> v);

// v += s dv,  x += h s dv,  total += s J.
void take_round(const Exec&, const Round&, Real s, Real h, Span<Vec<3>> x, Span<Vec<3>> v,
                Span<Vec<3>> total);

}  // namespace rtsim::contact
