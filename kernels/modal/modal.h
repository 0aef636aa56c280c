#pragma once
#include "base/vec.h"
#include "block_cg/mat3.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers of meshes that move by a few shapes. A point of the place X at rest, from the mesh's
// centre, goes to
//   x = c + R (X + u),  v = V + R (W x (X + u) + u'),  u = sum_j phi_j q_j,  u' = sum_j phi_j q_j'
// with the frame's place c, rotation R, velocity V and angular velocity W, all but c and V in the
// frame's axes. With warping (Choi & Ko, "Modal Warping", TVCG 2005) each point turns on its way by
// w = sum_j psi_j q_j, psi = curl phi / 2:
//   u = T(w) phi q,  u' = Q(w) phi q',  T = integral of Q(s w) over s from 0 to 1,
// Q(w) the rotation by the vector w.
namespace rtsim::modal {

// Eight points. Those behind the last have no mass.
struct PointSlot {
  Real rest[3][lane_count];  // X [m]
  Real mass[lane_count];     // [kg], 0 of held points
};
// One shape at these points.
struct ShapeSlot {
  Real u[3][lane_count];
};

struct Shapes {
  Span<const PointSlot> points;
  Span<const ShapeSlot> shapes;  // phi_j of slot s at s modes + j
  Span<const ShapeSlot> turns;   // psi_j likewise [1/m], where there is warping
  Index modes;

  RTSIM_HD bool warps() const { return turns.size > 0; }
};

struct Frame {
  Mat3<Real> rotation;
  Vec<3> place, velocity, spin;  // c, V, W
};

// q and q' of all modes.
struct Amplitudes {
  Span<const Real> q, rate;
};

void place_points(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
                  Span<Vec<3>> position, Span<Vec<3>> velocity);

// Where the targets of held points, `rows`, are from their places at rest: the least and the most
// of each axis [m].
struct Shift {
  Vec<3> low, high;
};
Shift shift_of(const Exec&, Span<const Index> rows, Span<const Vec<3>> rest,
               Span<const Vec<3>> target);

// Whether any number differs.
bool any_changed(const Exec&, Span<const Real> now, Span<const Real> before);
inline Span<const Real> numbers(Span<const Vec<3>> v) {
  return {reinterpret_cast<const Real*>(v.data), 3 * v.size};
}

// (x - before) / h
void mean_velocities(const Exec&, Span<const Vec<3>> before, Span<const Vec<3>> x, Real h,
                     Span<Vec<3>> to);

// Of the impulses m (v - before) of all points, in the frame's axes:
//   of mode j   sum phi_j . R^T p      (warped: Q^T R^T p)
//   then        sum R^T p, sum (X + u) x R^T p, and sum p . (v + before) / 2: the work of kicks [J]
// Partial sums go to `parts`, which has `sum_parts` rows of modes + `extra_sums` each; returns
// their sums in a fixed order.
inline constexpr Index extra_sums = 7;
Index sum_parts(const Shapes&);
void project(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
             Span<const Vec<3>> velocity, Span<const Vec<3>> before, Span<double> parts);

// Likewise of m a of all points, with an acceleration that is the same everywhere: the weight, as
// warped shapes feel it.
void project_weight(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
                    const Vec<3>& acceleration, Span<double> parts);

// Eight points at once, for the CPU.
void place_points_lanes(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
                        Span<Vec<3>> position, Span<Vec<3>> velocity);
void project_lanes(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
                   Span<const Vec<3>> velocity, Span<const Vec<3>> before, Span<double> parts);
void project_weight_lanes(const Exec&, const Shapes&, const Frame&, const Amplitudes&,
                          const Vec<3>& acceleration, Span<double> parts);

}  // namespace rtsim::modal
