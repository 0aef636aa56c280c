#pragma once
#include "exec/exec.h"
#include "mass_spring/network.h"

// How the pieces of a mesh would turn in a step if they were rigid. A linear system takes turns for
// straight lines, on which what turns by an angle a grows longer by a^2 / 2; steel that is so
// strained has a thousand times the energy of its spin, and the next step takes both away. So the
// system is made for places that have turned, x_R = c + R (x - c), R being that of the piece's
// angular velocity, and solved for what is left: that the piece bends, and flies.
namespace rtsim::fem {

// Which points hang together, directly or through others.
struct Pieces {
  struct Run {
    Index begin, end, piece;  // of `order`
  };
  Span<const Index> order;      // points, piece by piece
  Span<const Run> runs;         // parts of pieces, a few points each
  Span<const Index> first_run;  // of pieces, and behind the last
  Span<const Index> piece;      // of points
};

// Of points, with places from the piece's first point.
struct PieceSums {
  double mass;
  Vec3d x, v, spin;     // sums of m x, m v, m x cross v
  Vec3d square, mixed;  // of m x_a^2, and of m x_b x_c
};

// A turn about an axis through the centre of mass.
struct Turn {
  Vec3d centre, axis;    // unit, or 0
  double sine, versine;  // 1 - cos

  // (R - 1) r
  RTSIM_HD Vec3d change(const Vec3d& r) const {
    const Vec3d across = cross(axis, r);
    return sine * across + versine * cross(axis, across);
  }
};

// By how much an integrator turns a rigid body in a step that spins by an angle a in it: the angle
// is that of which the velocities at its end keep the angular momentum.
//   backward Euler  tan t = a / (2 - sqrt(1 - a^2)), as its velocities are those of chords
//   trapezoidal     tan t/2 = a/2
//   BDF2            tan t = (sin a + 2 a (4 - cos a) / 3) / (4 - cos a - 2 a sin a / 3), after a
//                   step that turned by a
enum class Turning { euler, trapezoidal, bdf2 };

// In a step of length h after velocities v; a piece whose points are on a line does not turn.
void find_turns(const Exec&, const Pieces&, const mass_spring::Points&, Span<const Vec<3>> v,
                Real h, Turning, Span<PieceSums> of_runs, Span<Turn>);

}  // namespace rtsim::fem
