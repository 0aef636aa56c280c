#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "boundary/place_samples.h"
#include "exec/buffer.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "grid/solids.h"
#include "lbm/lattice.h"
#include "lbm/law.h"
#include "lbm/storage.h"

// Launchers of the lattice Boltzmann method, in place: each cell takes its populations from the
// slots that it puts them back into, so nothing races and there is one copy. Geier & Schonherr,
// "Esoteric Twist: An Efficient in-Place Streaming Algorithmus for the Lattice Boltzmann Method on
// Massively Parallel Hardware", Computation 5, 2017; Lehmann, "Esoteric Pull and Esoteric Push",
// Computation 10, 2022.
namespace rtsim::lbm {

// The populations as one step sees them. A cell n finds what comes in along c_p in near(p)[n], what
// comes in along -c_p in far(p)[n + offset(p)]; what leaves along c_p goes to the far slot, what
// leaves along -c_p to the near one. The next step finds it where it belongs with near and far
// exchanged.
template <int D, class Stored>
struct Populations {
  Stored* rest;
  Stored* array[2 * Lattice<D>::pairs];

  RTSIM_HD Stored* near(int p) const { return array[2 * p]; }
  RTSIM_HD Stored* far(int p) const { return array[2 * p + 1]; }
  Populations next() const {
    Populations p = *this;
    for (int k = 0; k < 2 * Lattice<D>::pairs; ++k) p.array[k] = array[k ^ 1];
    return p;
  }
};

// A population that meets a wall: what left into a slot comes back there, in the other array of its
// pair.
struct Link {
  enum Kind : std::uint8_t { still, ramped, pressure, obstacle };
  Index slot;
  Real shift;         // what it gains at the wall
  Real bend;          // kappa of an obstacle's wall that is not half-way (obstacle_links.h)
  std::uint8_t from;  // array
  std::uint8_t wall;  // a face of the domain, or 6 + an obstacle
  std::uint8_t kind;
};

// A population that leaves by a periodic or slip face: it comes in where another cell's left.
struct Passage {
  Index to, from;  // slots
  std::uint8_t to_array, from_array;
};

// What the six faces of the domain do, 2 axis + side.
struct Faces {
  enum Kind : std::uint8_t { periodic, slip, pressure, inlet, wall };  // the last one wins an edge
  std::uint8_t kind[6] = {};
  std::uint8_t parabolic[6] = {};  // of an inlet: from its velocity at the middle to 0 at the rims
  Vec<3> velocity[6];              // s u, in lattice units
  Real density[6] = {};            // s (rho - 1) of a pressure face
};

// Which cells are fluid (solid[slot] = 0) and what is where.
struct Cells {
  Layout layout;
  Span<const std::uint8_t> solid;     // by slot; ghosts are solid
  Span<const grid::SolidId> nearest;  // by cell: the obstacle, where it is solid
  Span<const Real> distance;          // by cell: of the nearest obstacle [m], < 0 inside
  Span<const boundary::Pose> poses;   // of obstacles
  Vec<3> first, step;                 // centre of cell (0, 0, 0), and to its neighbours [m]
  Real speed;                         // s u of 1 m/s
};

// Links of obstacles, sorted by the region of fluid that they bound. What walls give or take is
// shared out in each region alone.
struct ObstacleLinks {
  struct Region {
    Index begin, end;
    double weight;    // of all its links
    double owed = 0;  // s times the mass that it lost as obstacles covered and left cells
  };
  Span<const Link> links;
  std::span<const Region> regions;
};

// Fluid cells in rows, the links of each row, and after all rows the passages between cells and the
// links of obstacles.
struct Walk {
  Span<const Index> first_span;  // by row; spans are pairs begin, end along x
  Span<const Index> spans;
  Span<const Index> first_link;  // by row
  Span<const Link> links;
  Span<const Passage> passages;
  ObstacleLinks obstacles;
};

// What faces do in one step.
struct Drive {
  Real ramp = 1;      // of the velocities of walls and inlets
  Real rise[6] = {};  // s times the density of a pressure face above its own
};

template <int D>
struct Output {
  bool wanted = false;
  Span<Real> pressure;  // [Pa]
  Span<Vec<D>> velocity;
  Real to_pressure, to_velocity;  // from lattice units times s
  Real speed2_limit;              // (s u)^2
};

// A cell that came to be solid or fluid, and s times its mass above that at rest: what was covered,
// or less what was uncovered.
struct Changed {
  Index slot;
  double lost;
};

// solid[] from signed distances at the centres. What is covered comes to rest; what is uncovered
// has its wall's speed, the density of the fluid cells beside it, and how those differ from
// equilibrium. Returns what changed, in the order of the cells.
template <int D, class Stored>
std::vector<Changed> cover(const Exec&, const Cells&, const Law<D>&, Span<std::uint8_t> solid,
                           const Populations<D, Stored>&, const Output<D>&);

// Spans and links of the present cells.
struct Tracks {
  Buffer<Index> first_span, spans, first_link, first_passage;
  Buffer<Link> links;
  Buffer<Passage> passages;
  Buffer<std::uint8_t> obstructed;  // rows of cells that an obstacle is in or beside
  explicit Tracks(const Exec& ex)
      : first_span(ex),
        spans(ex),
        first_link(ex),
        first_passage(ex),
        links(ex),
        passages(ex),
        obstructed(ex) {}
};
// Rows that no obstacle obstructs, and none did, keep what they had `before`, if that was found for
// the same faces; otherwise it is empty.
template <int D>
void find_tracks(const Exec&, const Cells&, const Faces&, const Tracks& before, Tracks&);

// Equilibrium of the pressures and velocities in `out`, as if it left a collision.
template <int D, class Stored>
void start(const Exec&, const Layout&, const Law<D>&, const Populations<D, Stored>&,
           Span<const std::uint8_t> solid, const Output<D>& out);

// Streams and collides once; row_speed2[row]: the greatest (s u)^2 of a row, infinite where one is
// above the limit or not a number, written where output is wanted.
template <int D, class Stored>
void step(const Exec&, const Layout&, const Law<D>&, const Populations<D, Stored>&,
          Span<const std::uint8_t> solid, const Walk&, const Drive&, const Output<D>&,
          Span<Real> row_speed2);

// All links and passages, after start().
template <int D, class Stored>
void link_all(const Exec&, const Layout&, const Law<D>&, const Populations<D, Stored>&, const Walk&,
              const Drive&);

// Links of obstacles again, after step(), which wrote nothing that they read.
template <int D, class Stored>
void bend_links(const Exec&, const Layout&, const Law<D>&, const Populations<D, Stored>&,
                const ObstacleLinks&);

// Pressures and velocities from what the last collision left.
template <int D, class Stored>
void show(const Exec&, const Layout&, const Law<D>&, const Populations<D, Stored>& last,
          Span<const std::uint8_t> solid, const Output<D>&);

Real greatest(const Exec&, Span<const Real>);

}  // namespace rtsim::lbm
