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

struct Substep {
  Real h;          // [s]
  Vec<3> gravity;  // [m/s^2]
  Real kept;       // exp(-h damping), what is left of a velocity
  Real left;       // substeps to the end of the step, this one included
};

// Symplectic Euler: v' = kept v + h g, x' = x + h v': at rest gravity is all there. Held points go
// 1/left of the way to their target. `rows` become x' with the inverse masses; positions stay.
void predict(const Exec&, const Substep&, const Points&, Span<Row4> rows);

// What constraints did: x = rows, v += (x - x') / h. Not v = (x - x_before) / h: positions of many
// metres have too few digits left for what a short substep adds.
void settle(const Exec&, const Substep&, const Points&, Span<const Row4> rows);

// settle, then predict: one pass between two substeps of a step. `next` is the second one.
void settle_and_predict(const Exec&, const Substep& next, const Points&, Span<Row4> rows);

// Tethers of a point: places of held points, and how far from them it may go (Kim, Chentanez &
// Müller, "Long Range Attachments", SCA 2012, sec. 3): C = |x - a| - L <= 0, moving x alone.
struct Tethers {
  Span<const Index> first, held;  // from first[i] to first[i + 1], rows of held points
  Span<const Real> length;        // [m]
};
void pull_back(const Exec&, const Tethers&, Span<Row4> rows);

}  // namespace rtsim::pbd
