#pragma once
#include "advection/trace.h"
#include "exec/buffer.h"
#include "exec/exec.h"
#include "mac/mac.h"

// Launchers of a liquid whose particles carry the velocity, while a staggered grid keeps its volume
// (Zhu & Bridson, "Animating Sand as a Fluid", SIGGRAPH 2005). Inside, places of particles are
// counted in cells from the lower corner of the grid.
namespace rtsim::flip {

// The particles in the order of their cells: copies of their places, a number after the other, of
// which `lane_count` more may be read behind the last; what else they carry is at the row of the
// table, until rows take that order.
template <int D>
struct Particles {
  Index rows = 0;
  const Real* x[D] = {};                // [cells]
  const Index* row = nullptr;           // of each in the table
  const Vec<D>* velocity = nullptr;     // of rows [m/s]
  const Vec<D* D>* gradient = nullptr;  // of rows, as State has it [1/s]; null: none
  const Index* first = nullptr;         // of each cell, and one past the last
  const std::uint8_t* deep = nullptr;   // cells that are full without any (band.h); null: none

  RTSIM_HD bool fill(Index cell) const {
    return first[cell] < first[cell + 1] || (deep && deep[cell]);
  }
};

// Where a table's rows lie on a grid.
template <int D>
struct Place {
  mac::Domain domain;
  Real low[D] = {};  // [m]

  RTSIM_HD Real cells(int axis, Real x) const { return (x - low[axis]) / domain.spacing; }
  RTSIM_HD Real metres(int axis, Real x) const { return low[axis] + domain.spacing * x; }
};

// --- particles.cu: particles into cells, and the numbers of all of them

template <int D>
void cell_keys(const Exec&, const Place<D>&, Span<const Vec<D>> position, Span<std::uint32_t> keys);

template <int D>
struct State {
  Span<Vec<D>> position, velocity;
  Span<Vec<D * D>> affine;  // d u_a / d x_b [1/s] at a D + b; empty: none
};
// `places` has room for D times `pitch` numbers.
template <int D>
Particles<D> pack(const Exec&, const Place<D>&, const State<D>&, Span<const Index> order,
                  Span<const Index> first, Index pitch, Real* places);

// Of unit mass.
struct Sums {
  double kinetic = 0, potential = 0;       // [J/kg]
  double momentum[3] = {0, 0, 0};          // [m/s]
  double angular_momentum[3] = {0, 0, 0};  // about the origin [m^2/s]
  double front = -1e300;                   // largest x [m]
};
struct AddSums {
  RTSIM_HD Sums operator()(const Sums& a, const Sums& b) const {
    Sums s{a.kinetic + b.kinetic, a.potential + b.potential};
    for (int k = 0; k < 3; ++k) {
      s.momentum[k] = a.momentum[k] + b.momentum[k];
      s.angular_momentum[k] = a.angular_momentum[k] + b.angular_momentum[k];
    }
    s.front = a.front > b.front ? a.front : b.front;
    return s;
  }
};
template <int D>
Sums sums(const Exec&, Span<const Vec<D>> position, Span<const Vec<D>> velocity, Vec<D> gravity);
// [m/s]; infinite where one is not finite.
template <int D>
Real greatest_speed(const Exec&, Span<const Vec<D>> velocity);

// --- gather.cu, gather_blocks.cpp: particle-to-grid transfer (P2G)

// u_f = sum w (u_p + C_p (x_f - x_p)) / sum w, with w the product of hats of the width of two cells
// (Jiang, Schroeder, Selle, Teran & Stomakhin, "The Affine Particle-In-Cell Method", SIGGRAPH 2015,
// eq. 8; on a staggered grid sec. 5.3). known[f] = reached where a particle is near, else unknown,
// and u is 0. `weight` is the sum of w, in particles.
struct Gathered {
  Span<Real> u, weight;
  Span<std::uint8_t> known;
};
template <int D>
void gather(const Exec&, const mac::Domain&, const Particles<D>&, const Gathered (&)[D]);

// u += step
void accelerate(const Exec&, Real step, Span<Real> u);
// to += of
void add(const Exec&, Span<const Real> of, Span<Real> to);

// --- surface.cu: where the liquid is; its pressure there: grids/poisson.h

// The signed distance of the liquid's surface [m] at the centres of cells, < 0 inside: particles
// are boxes of half a side `half` [cells], which tile the lattice that they are filled in on, so
// that a level surface is level to the last digit wherever it stands. Cells without a particle have
// their distance to the nearest box, at most one and a half cells; from there it goes on with a
// slope of 1 through cells with particles (Godunov's upwind form, as Osher & Sethian 1988), whose
// centres may turn out to be above the surface; deeper it is minus a cell. A single cell without
// particles between ones that have some is a gap between particles and belongs to the liquid. Cells
// with their centre in a wall, where no particles can be, go on level from beside the wall.
// `scratch`: a number for each cell. Leaves in `in_wall` which cells have their centre in a wall.
template <int D>
void surface(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<D>&, Real half,
             Span<Real> scratch, Span<std::uint8_t> in_wall, Span<Real> distance);

// Afterwards, to cells with their centre in a wall the distance that their neighbour outside has: a
// body that stands in the surface has liquid beside it up to the level there, and none above. Those
// that hold particles of a film on a wall, with air beside them, are a cell deeper than that.
template <int D>
void surface_in_walls(const Exec&, const mac::Domain&, const mac::Walls&, const Particles<D>&,
                      Span<const std::uint8_t> in_wall, Span<Real> scratch, Span<Real> distance);

// The distance of walls at the nodes of the cells; empty: no walls.
struct Solid {
  Span<const Real> distance;  // [m]
};

// --- surface_volume.cu

// What the surface needs to be moved to where the volume of the particles ends, a number for each
// cell.
struct VolumeScratch {
  Span<std::uint8_t> near, other;
  Span<Real> fill, volume, area;
};

// Boxes have the size that they were filled in with. Where liquid is stretched along the normal of
// its surface, as in a crest, particles are farther apart, and what lies beyond the outermost ones
// is more than half a box: a surface that ends with the boxes moves as the liquid does half a
// spacing s below it, and waves of wave number k are k s / 4 too slow. So the surface is shifted by
// the volume that particles fill beyond what lies below it, in the cells around one, over the area
// that it has in them: at most to the outermost particles, or as far the other way.
template <int D>
void move_to_volume(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&,
                    Span<const std::uint8_t> layer, const Particles<D>&, Real half,
                    const VolumeScratch&, Span<Real> distance);

// --- fill.cu, fill_lanes.cpp: where particles gather and thin out

// How much of each cell the boxes of particles fill: 1 all over where they tile. `only`: of cells
// where it is not 0, the others are 0; empty: of all.
template <int D>
void fill(const Exec&, const mac::Domain&, const Particles<D>&, Real half,
          Span<const std::uint8_t> only, Span<Real> fill);

// What a cell of the liquid has too little of that (> 0) or too much (< 0), in cells, against what
// of it lies below the surface and outside of walls. `layer` as mac::solid_layers.
template <int D>
void crowding(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&,
              Span<const std::uint8_t> layer, Span<const Real> surface, Span<const Real> fill,
              Span<Real> out);

// How much of each cell lies below the surface, were there no walls in it; 0 in cells without an
// open face.
template <int D>
void share_below(const Exec&, const mac::Domain&, Span<const std::uint8_t> layer,
                 Span<const Real> surface, Span<Real> out);

// Below the surface and outside of walls [m^D].
template <int D>
double volume(const Exec&, const mac::Domain&, const mac::Walls&, const Solid&,
              Span<const std::uint8_t> layer, Span<const Real> surface);

// known = reached for faces beside a cell of the liquid, unknown for others.
void liquid_faces(const Exec&, const mac::Domain&, int axis, Span<const Real> surface,
                  Span<std::uint8_t> known);

// --- extrapolate.cu: velocities where the liquid is not

// What is known of a face.
enum Known : std::uint8_t { unknown, reached, guessed };

// Faces that are unknown and have others beside them take their mean, and get `as`; so many times.
// `next` is for what is known then, and takes turns with `known`.
void extrapolate(const Exec&, const mac::Domain&, int axis, Known as, int layers,
                 Buffer<std::uint8_t>& known, Buffer<std::uint8_t>& next, Span<Real> u);

// Particles above the surface, but in reach of faces in the liquid, feel the pressure as well: open
// faces that particles reach and no cell of the liquid pushes get the mean of what the pressure
// changed at those beside them, u less `before`. Then `known` is `reached` there and on faces that
// cells of the liquid push, and `unknown` elsewhere.
void push_beyond(const Exec&, const mac::Domain&, int axis, Span<const Real> open,
                 Span<const Real> surface, Span<const Real> before, Span<const std::uint8_t> known,
                 Span<std::uint8_t> next, Span<Real> u);

// Closed faces: on the sides of the domain the velocity of the side; inside of walls the velocity
// of the liquid beside them, without the part that would go through the wall. `u` is read at the
// other components, `out` written.
void slide(const Exec&, const mac::Domain&, int axis, const mac::Walls&, const mac::Velocity& u,
           Span<Real> out);

// --- move.cu, move_lanes.cpp: faces to particles, and along the flow

enum class Transfer : std::uint8_t { apic, flip, pic };

// By transfer, with the velocity u of the faces after a step and v before it, at the place of the
// particle:
//   pic   u_p = u
//   flip  u_p = s (u_p + u - v) + (1 - s) u
//   apic  u_p = u, C = grad u, the gradient of the interpolation
// and then the particle follows u, as advection::Tracer does.
template <int D>
struct Move {
  mac::Domain domain;
  mac::Layout layout;
  mac::Faces now, before;  // with margins; `before` for flip alone
  Transfer transfer = Transfer::apic;
  Real flip_share = 0;
  Real cells_per_speed = 0;  // dt / h [s/m]
  advection::Trace trace = advection::Trace::ralston;
  mac::Faces shift;  // [cells] by which particles make room besides; null: none
};
// To row k of the table what particle k comes to. Rows have that order already, but for positions
// and, unless `flip`, velocities.
template <int D>
void move(const Exec&, const Place<D>&, const Move<D>&, const Particles<D>&, const State<D>&);

// --- walls.cu: particles at walls and sides

// Brings particles round periodic seams, back inside closed sides and out of walls, and marks those
// that left through open sides. Returns how many. Those above the surface inside walls go no
// further into them: no pressure stops a drop thinner than a cell.
template <int D>
Index keep_inside(const Exec&, const Place<D>&, const mac::SolidNodes& walls,
                  Span<const Real> surface, Span<Vec<D>> position, Span<Vec<D>> velocity,
                  Span<std::uint32_t> left);
// How many rows are inside walls, by more than a thousandth of a cell.
template <int D>
Index count_inside(const Exec&, const Place<D>&, const Solid&, Span<const Vec<D>> position);
// Marks those that are deeper inside than `depth` [m].
template <int D>
void mark_inside(const Exec&, const Place<D>&, const Solid&, Span<const Vec<D>> position,
                 Real depth, Span<std::uint32_t> marked);

}  // namespace rtsim::flip
