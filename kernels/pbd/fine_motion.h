#pragma once
#include "pbd/motion.h"

// Points that go by what constraints shift them by, where differences of places do not tell: those
// move a point by less than the last digit of its place, if it is heavy or the substep short, and
// nothing is left of the push. Places and velocities have the digits of double within a step;
// constraints see them rounded.
namespace rtsim::pbd {

// A row for each of these points.
struct Fine {
  Span<const Index> rows;  // of the mesh
  Span<VecT<double, 3>> place, velocity;
  Span<Row4> moved;  // of all points of the mesh, by constraints since the substep began [m]
};

// At the start of a step.
void begin_fine(const Exec&, const Points&, const Fine&);
// Behind predict() or settle_and_predict(), in place of what these found.
void predict_fine(const Exec&, const Substep&, const Fine&, const Moving&);
// Behind the projections of a substep: x += moved, v += moved / h, and moved = 0.
void settle_fine(const Exec&, Real h, const Fine&);
// Behind settle(): gives the points back.
void give_fine(const Exec&, const Fine&, const Points&);
// Where others moved the points since: they go on from there, what is as it was given with all its
// digits.
void resume_fine(const Exec&, const Points&, const Fine&);

}  // namespace rtsim::pbd
