#pragma once
#include "block_cg/block_cg.h"
#include "block_cg/block_matrix.h"
#include "cloth_implicit/contact_constraint.h"
#include "fem/materials.h"
#include "fem/places.h"
#include "fem/turning.h"
#include "mass_spring/implicit.h"

// Launchers of finite elements. All integrators find, in a step of length h, a velocity w that
// takes points from a base y to x = y + s w, with
//   g(w) = m (w - u) + c D w - k f(y + s w) = 0,
// the slope of
//   phi(w) = m |w - u|^2 / 2 + c w . D w / 2 + k/s E(y + s w),
// f = -dE/dx, D = a m + b K Rayleigh's damping. Its second derivative, with elements made positive,
// is the system A = m + c D + k s K. Both K are those of where pieces turn to in the step as rigid
// bodies, y + s r, and D's acts on w - r, so that it does not slow turns.
//   backward Euler  y = x0, s = k = c = h,  u = v0 + h gravity,  v = w
//   trapezoidal     y = x0, s = h, k = h/4, c = h/2,  u = v0 + h/2 gravity + h/4 f(x0)/m,
//                   v = 2 w - v0
//   BDF2            y = x0 + (x0 - x')/3, s = k = c = 2h/3,
//                   u = v0 + (v1 - v' - (v0 - v1))/3 + s gravity,  v = w, with x' and v' of a step
//                   before, and v1 the velocity that the last step ended with: v0 - v1 is what
//                   other stages gave, over h an acceleration as gravity is
namespace rtsim::fem {

using mass_spring::Gradient;
using mass_spring::Points;

enum class Material { linear, corotational, gram_schmidt, stvk, neo_hookean };

using Strain = VecT<Real, 6>;  // xx, yy, zz, xy, xz, yz

// Eight elements. Those behind the last have no volume.
struct ElementSlot {
  Index corner[4][lane_count];              // of triangles the last is the first again
  Real g[9][lane_count];                    // [1/m] of corners 1 to 3
  Real volume[lane_count];                  // [m^3]
  Real mu[lane_count], lambda[lane_count];  // [Pa]
};
// Their points amid edges, in the order of pair_of; of triangles those at corner 3 are corner 0.
struct MiddleSlot {
  Index middle[6][lane_count];
};

struct Elements {
  Span<const ElementSlot> slots;
  Span<const MiddleSlot> middles;  // none of four nodes
  Index count;
  Material material;
  bool flat;                       // triangles
  Span<const Index> first, where;  // of points: the rows of the forces on them
  Span<const Strain> plastic;      // of the points of quadrature, in order; may be none

  RTSIM_HD Index nodes() const { return middles.size > 0 ? 10 : 4; }
  RTSIM_HD Index pairs() const { return middles.size > 0 ? 45 : 6; }
};

// Where points are: y + s w, in rows filled up to whole slices, with y = base + remainder. Each
// difference along an edge is taken before they are summed: an edge is as exact anywhere as at the
// origin, where places of a metre round to 1e-7 m.
struct Places {
  Span<const Row4> base, remainder, w;
  Real s;  // [s]
};

// Forces on the nodes of all elements: node k of element e of `nodes` at row
// 8 (nodes (e / 8) + k) + e % 8.
RTSIM_HD inline Index force_row(Index nodes, Index e, Index k) {
  return lane_count * (nodes * (e / lane_count) + k) + e % lane_count;
}
RTSIM_HD inline Index element_of_row(Index nodes, Index row) {
  return lane_count * (row / (lane_count * nodes)) + row % lane_count;
}
// Returns the energy [J].
double forces(const Exec&, const Elements&, const Places&, Span<Row4> forces);

// -scale K_ij [kg] of the pairs of nodes of each element, made positive.
void tangents(const Exec&, const Elements&, const Places&, Real scale, Span<Mat3<Real>>);

// Block (e, l) of the matrix is the sum of parts first[8 e + l] to first[8 e + l + 1] - 1, each
// twice the number of the pair among those of all elements, and 1 for the transposed block; and
// `more`, if any.
struct Assembly {
  Span<const Index> first, parts;
  Span<const Mat3<Real>> pairs;
  Span<const block_cg::BlockSlot> more;  // may be empty
  Span<const Index> blocks_first;        // of the slices of the matrix
  Span<const Real> mass;
  Real inertia;  // of a row, over its mass
  Span<block_cg::BlockSlot> blocks;
  Span<Real> diagonal;
};
void assemble(const Exec&, const Assembly&);
// to = scale from, and from += to: damping joins what is there.
void split(const Exec&, Real scale, Span<block_cg::BlockSlot> from, Span<block_cg::BlockSlot> to);

// A step as above, of what it needs besides forces.
struct Stepping {
  Points points;
  Span<const Row4> u;  // [m/s]
  Real mass_damping;   // c a
  Real k;              // [s]
};

// b = m (u - w) + k f - c a m w - (A - m (1 + c a)) (w - turned), for the change of w; f and A as
// they are at `turned`.
void right_hand_side(const Exec&, const Elements&, const Stepping&, Span<const Row4> forces,
                     const block_cg::BlockMatrix&, Span<const Row4> turned, Span<const Row4> w,
                     Span<Row4> b);
// b = -g(w) with the friction of `constraints`, and phi without E; D (w - turned) comes in b, if
// `damped`. Of held points it is what pushes them.
Gradient gradient(const Exec&, const Elements&, const Stepping&, Span<const Row4> forces,
                  Span<const cloth::ContactConstraint> constraints, Span<const Row4> turned,
                  Span<const Row4> w, bool damped, Span<Row4> b);

// What residuals are small beside: the sum of (m |u - w|)^2 and (k |f|)^2 of all corners, over m.
double force_scale(const Exec&, const Elements&, const Stepping&, Span<const Row4> forces,
                   Span<const Row4> w);

// What pushes points besides elements.
struct Loads {
  Vec<3> gravity;
  Span<const Vec<3>> force;  // [N], may be none

  RTSIM_HD Vec<3> acceleration(Index i, Real inverse_mass) const {
    return force.size > 0 ? gravity + inverse_mass * force[i] : gravity;
  }
};
// u = v + along loads + part f / m; of held points v + part f / m, which only they who hold them
// feel.
void start(const Exec&, const Elements&, const Points&, const Loads&, Real along, Real part,
           Span<const Row4> forces, Span<Row4> u);
// What is kept of the step before.
struct StepBefore {
  Span<Vec<3>> v_after;      // [m/s] that it ended with
  CompensatedPlaces places;  // at its start, of BDF2
  Span<Vec<3>> v;            // the same
};

// From where w is sought. `turned` leads to where pieces turn to in h; the guess is v_after, turned
// as well, but of held points what leads along their velocity. What other stages gave since v_after
// is in u alone: in w it would press on elements, and be found again less its rounding.
struct Seeking {
  Span<const Turn> turns;
  Span<const Index> piece;  // of points
  StepBefore before;
  Real s, h;             // [s], y + s w
  bool two_steps;        // y is that of BDF2
  Span<Row4> turned, w;  // [m/s]
  Span<Vec<3>> guess;    // w as well
};
void seek(const Exec&, const Points&, const CompensatedPlaces&, const Seeking&);
// u and the remainders of BDF2's y.
void start_bdf2(const Exec&, const Points&, const CompensatedPlaces&, const StepBefore&,
                const Loads&, Real h, Span<Row4> remainder, Span<Row4> u);

// Points go where w takes them. `beyond`: velocities are 2 w - v0, but where points are held or
// touch, w.
void finish(const Exec&, const Points&, const CompensatedPlaces&, const Places&,
            Span<const cloth::ContactConstraint> constraints, bool beyond, Span<Vec<3>> v_after);
// x = y + s w as it is, velocities w; held points end where their velocity takes them in h. The
// step becomes the one before.
void finish_bdf2(const Exec&, const Points&, const CompensatedPlaces&, const StepBefore&,
                 const Places&, Real h);

// v += h (f / m + loads - a v), x += h v, of free points; held ones go on.
void symplectic_euler(const Exec&, const Elements&, const Points&, const CompensatedPlaces&,
                      const Loads&, Real mass_damping, Real h, Span<const Row4> forces);

// What elements and damping push held points with [N].
void force_on_held(const Exec&, const Elements&, const Points&, Real mass_damping,
                   Span<const Row4> forces, Span<Row4> to);

// What frames show of each element, and the mean of the points by volume.
struct ElementColumns {
  Span<Real> von_mises;       // [Pa]
  Span<Real> energy_density;  // [J/m^3]
  Span<Real> volume_ratio;    // J
};
void columns(const Exec&, const Elements&, const Places&, const ElementColumns&);
void mean_of_elements(const Exec&, const Elements&, Span<const Real> of_elements,
                      Span<Real> of_points);

// Plastic flow, at the end of a step. The elastic strain's deviator d is in its norm |d| at most
// y = E yield / (sqrt(6) mu), where von Mises' stress is E yield; of what is beyond it `share` goes
// to e_p, whose norm is at most sqrt(3/2) `most`. That is a step of steepest descent for the energy
// mu |d|^2, projected: it never gives energy. Returns the greatest |e_p|, of a rod.
struct Flow {
  Real yield, share, most;
  Span<Strain> plastic;
};
double flow(const Exec&, const Elements&, const Places&, const Flow&);

// Faces that pressure is on: three points seen from outside, or of triangles' rims two and -1.
struct Faces {
  Span<const VecT<std::int32_t, 3>> corners;
  Span<const Index> first, slots;  // of points: 3 times the face and the corner
  Span<const Real> pressure;       // [Pa] of each face
};
// On all points [N].
void press(const Exec&, const Faces&, const Points&, Span<Vec<3>> force);
// What they did on the way from `before` [J].
double work(const Exec&, Span<const Vec<3>> force, Span<const Vec<3>> before, const Points&);

struct Extremes {
  double least_ratio;      // of J
  double greatest_stress;  // von Mises [Pa]
};
Extremes extremes(const Exec&, const Elements&, const Places&);

// Eight elements at once, for the CPU.
double forces_lanes(const Exec&, const Elements&, const Places&, Span<Row4> forces);
Extremes extremes_lanes(const Exec&, const Elements&, const Places&);
void tangents_lanes(const Exec&, const Elements&, const Places&, Real scale, Span<Mat3<Real>>);

}  // namespace rtsim::fem
