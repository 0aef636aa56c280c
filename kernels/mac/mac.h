#pragma once
#include "boundary/place_samples.h"
#include "exec/exec.h"
#include "grid/solids.h"
#include "mac/lattice.h"

// What every flow on a staggered grid needs.
namespace rtsim::mac {

// How far each face is open, 0 to 1, the velocity of the solid in its closed part [m/s], and how
// far its middle lies outside solids [m], by rows of the faces.
struct Walls {
  Span<Real> open[3];
  Span<Real> velocity[3];
  Span<Real> clearance[3];  // empty where there are no solids
};

// Whether a face has the velocity of its wall for viscosity: closed, or with its middle in a solid.
RTSIM_HD inline bool sticks(Real open, Real clearance) { return open == 0 || clearance <= 0; }

// What a wall between two faces h apart makes of their friction: a face whose middle lies in a
// solid has the velocity of the wall, which begins at the part of the way that the distances give
// (the symmetric ghost values of Gibou, Fedkiw, Cheng & Kang, J. Comput. Phys. 176, 2002). Faces
// that all but touch the wall are at least a twentieth of h from it.
RTSIM_HD inline Real friction_share(Real own, Real other) {
  if (other > 0) return 1;
  const Real way = own / (own - other);
  return 1 / (way > Real(0.05) ? way : Real(0.05));
}
// Of the cube of side h about the middle of a face, as much as a wall across an axis leaves.
RTSIM_HD inline Real fluid_share(Real clearance, Real spacing) {
  const Real v = Real(0.5) + clearance / spacing;
  return v < 1 ? v : Real(1);
}

// The velocity by rows of the faces [m/s].
struct Velocity {
  Span<Real> u[3];
};

// Solids known by their signed distance at the nodes (lib/grids/solids.h).
struct SolidNodes {
  Span<const Real> distance;  // [m], < 0 inside; empty: no solids
  Span<const grid::SolidId> nearest;
  Span<const boundary::Pose> poses;
  double first[3] = {};               // the first node [m]
  Span<const Vec<3>> deforming = {};  // [m/s] of the nearest solid's surface, on top of what its
                                      // pose says; empty: none deforms
  bool partial = true;  // false: faces are open or closed, as the middles of their cells lie
  // Solids that close a face by their part of the cell about the face's middle, and not by their
  // part of the face, with their own distance; others have no map, and empty: none does. So a body
  // that floats closes faces little by little, however it lies in the grid, and the pressure on it
  // is that of what it displaces: by parts of faces the lift of a level bottom is that of whole
  // cells (Batty, Bertails & Bridson 2007, sec. 3, whose weights are volumes).
  Span<const grid::SolidMap> by_volume;
};

void open_faces(const Exec&, const Domain&, const SolidNodes&, const Walls&);
// The velocity alone, of solids that stand where they were.
void move_faces(const Exec&, const Domain&, const SolidNodes&, const Walls&);

// The cells without an open face, and how near the open ones are: 0 open, 1 beside an open one, 2
// next to those, 255 farther. Returns how many are open.
Index solid_layers(const Exec&, const Domain&, const Walls&, Span<std::uint8_t> layer,
                   Span<std::uint8_t> scratch);

// The share V of each cell that is fluid, as its most open face has it: then no cell is emptied
// faster than a whole one, however little of it is left.
void open_shares(const Exec&, const Domain&, const Walls&, Span<Real> share);

// Of the cells of solids beside open ones, the share that has open ones on both sides.
double thin_share(const Exec&, const Domain&, Span<const std::uint8_t> layer);

// What an open side draws in comes from rest, where the pressure is 0: by Bernoulli it is
// -rho u^2 / 2 on the side's faces, which takes u^2 / (2 h) [m/s^2] from them, and no more than
// they have. Were it 0 there too, a flow would be drawn in faster and faster.
void draw_from_rest(const Exec&, const Domain&, double dt, const Velocity&);

// Gives closed faces the velocity of their wall; the last periodic face is the first.
void constrain(const Exec&, const Domain&, const Walls&, const Velocity&);

// `factor` times the flow out of each cell over its volume [1/s]: the sum over faces of
// (open u + (1 - open) u_wall) / h, outwards.
void divergence(const Exec&, const Domain&, const Walls&, const Velocity&, double factor,
                Span<Real> out);

template <int D>
void centre_velocity(const Exec&, const Domain&, const Velocity&, Span<Vec<D>> out);

// The curl of the velocity at the centres [1/s], by central differences; 2D: the part along z.
// `faces` with margins filled.
void vorticity(const Exec&, const Domain&, const Faces& faces, Span<Real> out);
void vorticity(const Exec&, const Domain&, const Faces& faces, Span<Vec<3>> out);

// The greatest magnitude; infinite where one is not finite.
Real greatest(const Exec&, Span<const Real>);
// Of a component [m/s]; likewise.
Real greatest_speed(const Exec&, const Domain&, const Velocity&);

struct FlowSums {
  double speed2 = 0;          // sum over open cells of the mean of their faces' u^2 [m^2/s^2]
  double vorticity2 = 0;      // [1/s^2]
  double divergence2 = 0;     // [1/s^2]
  double divergence_max = 0;  // [1/s]
  Index open_cells = 0;
  double velocity[3] = {0, 0, 0};  // [m/s] of the middles of cells
  double angular_momentum[3] = {0, 0,
                                0};  // x times velocity, x in cells from the lower corner [m/s]
};
// `faces` with margins filled, of `velocity`.
FlowSums flow_sums(const Exec&, const Domain&, const Walls&, Span<const std::uint8_t> layer,
                   const Velocity&, const Faces&);

// Of a scalar over all cells, each times its share where there are shares.
double sum(const Exec&, Span<const Real>, Span<const Real> share = {});

// In solids a field takes the mean of the open cells beside it, two cells deep, so that traces
// which graze a solid find what flows past it. `padded`: to value (0, 0, 0).
void fill_solids(const Exec&, const Domain&, Span<const std::uint8_t> layer, Real* padded);
void clear_solids(const Exec&, Span<const std::uint8_t> layer, Span<Real> rows);

}  // namespace rtsim::mac
