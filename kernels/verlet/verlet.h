#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers for Verlet's method without velocities, and sticks kept by relaxation (Jakobsen 2001).
namespace rtsim::verlet {

struct Points {
  Span<Vec<3>> position;
  Span<Vec<3>> displacement;  // x_n - x_(n-1) [m]: in place of the position before, so that what a
                              // short step adds is not lost in the digits of x
  Span<Vec<3>> velocity;      // displacement / h, for others to read and to push
  Span<const Real> inverse_mass;
  Span<const Vec<3>> target;  // of held points
};

struct Move {
  Real h;          // [s]
  Vec<3> gravity;  // [m/s^2]
  Real kept;       // of a displacement, after drag
  bool first;      // the first step of all
  Real left;       // how many such steps there are until held points are at their targets
};

// x' = x + kept d + h^2 a; what other stages did to the velocities since the last step goes into d.
// The first step has d = h v - h^2 a / 2, which makes the method of second order: with d = h v it
// is of the first. `before` keeps x, `predicted` is x' as it is before sticks.
void move(const Exec&, const Move&, const Points&, Span<Vec<3>> before, Span<Vec<3>> predicted);

// v = (d + x - predicted) / h: as it will be if nothing moves the points any more.
void find_speeds(const Exec&, Real h, const Points&, Span<const Vec<3>> predicted);

// What a wall moved points by without giving them that speed (it lets those that start inside go
// slowly) is no displacement: predicted += (x - x_before) - h (v - v_before).
void excuse(const Exec&, Real h, const Points&, Span<const Vec<3>> position_before,
            Span<const Vec<3>> velocity_before, Span<Vec<3>> predicted);

// What sticks and walls did: d += x - predicted, v = d / h.
void settle(const Exec&, Real h, const Points&, Span<const Vec<3>> predicted);

struct Sticks {
  Span<const Index> a, b;
  Span<const Real> length;  // [m]
  Span<const std::uint32_t> kind;
};

// Moves the ends of sticks [begin, end), which share no point, by `share` of what is missing. Adds
// what pushes held points to `push` [kg m], which may be empty.
void relax(const Exec&, const Sticks&, Index begin, Index end, Real share, bool without_root,
           Span<const Real> inverse_mass, Span<Vec<3>> position, Span<Row4> push);

// The greatest | |d| / r - 1 | of the sticks, where their kind forbids it.
double worst(const Exec&, const Sticks&, Span<const Vec<3>> position);

}  // namespace rtsim::verlet
