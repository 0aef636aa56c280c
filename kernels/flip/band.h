#pragma once
#include "exec/buffer.h"
#include "flip/flip.h"
#include "region/half_spaces.h"

// The narrow band of a liquid (Ferstl, Ando, Wojtan, Westermann & Thuerey, "Narrow Band FLIP for
// Liquid Simulations", Computer Graphics Forum 35, 2016): cells that are deep below its surface and
// far from walls hold no particles, and what flows through them is carried from face to face. A
// deep cell is as full as its particles would tile it; all others have theirs. A byte of each cell
// says which are deep; between two substeps nothing but that and the velocity on their faces
// stands for them.
namespace rtsim::flip {

using Bytes = Span<const std::uint8_t>;
using Cells = Span<const Index>;  // rows of cells

// Beside a surface that is found by looking two cells far, faces are made of particles one cell
// around them.
constexpr int least_band = 3;  // [cells]

// --- band.cu: which cells are deep

// 1 where some cell within `radius` along all axes has 1: round seams, not beyond other ends.
void spread(const Exec&, const mac::Domain&, Index radius, Bytes in, Span<std::uint8_t> scratch,
            Span<std::uint8_t> out);

// Cells without liquid, those that walls cut and those at open sides. Liquid is where particles are
// or where it comes from a deep cell (`origin` as below), and in gaps of one cell between.
void shallow(const Exec&, const mac::Domain&, const mac::Walls&, Span<const Index> first,
             Bytes origin, Span<std::uint8_t> out);
// Also cells with a part in the half-spaces, or beyond one of them.
template <int D>
void add_region(const Exec&, const Place<D>&, const region::HalfSpaces&, bool outside,
                Span<std::uint8_t> shallow);
// deep = 1 where `near_shallow` is 0; how many there are.
Index find_deep(const Exec&, Bytes near_shallow, Span<std::uint8_t> deep);

// Deep cells where particles were put, by a source; how many.
Index strangers(const Exec&, Bytes deep, Span<const Index> first, Span<std::uint8_t> out);
// deep = 0 where woken, and woken = 0 where it was not deep; how many were.
Index wake(const Exec&, Span<std::uint8_t> deep, Span<std::uint8_t> woken);
// Of particles, those in deep cells.
template <int D>
Index count_deep(const Exec&, const Place<D>&, Span<const Vec<D>> position, Bytes deep);

// --- band.cu, band_lanes.cpp: what flows through them

// Velocities of faces with deep cells around them (`around`: deep cells spread by one) after the
// step of a law: those at the place where it comes from, between four faces along each axis by
// cubic polynomials; 0 on other faces. The way is the one that particles take, backwards.
template <int D>
void carry(const Exec&, const Move<D>&, int axis, Bytes around, Span<Real> out);
// Such faces have the velocity that was carried, whatever particles are there.
void take_carried(const Exec&, const mac::Domain&, int axis, Bytes around, Span<const Real> carried,
                  Span<Real> u, Span<std::uint8_t> known);

// Where the middle of a cell comes from, for cells in `reach`: 2 from between cells of which one at
// least was deep, 1 from beside a deep cell, 0 from elsewhere.
template <int D>
void find_origin(const Exec&, const Move<D>&, Bytes reach, Bytes deep, Bytes around,
                 Span<std::uint8_t> origin);

// --- band_particles.cu, band_lanes.cpp: particles that come and go

// Places in a cell that may get a particle, each somewhere in its part of the cell. Where that is
// turns from step to step by a Kronecker sequence (Niederreiter, "Random Number Generation and
// Quasi-Monte Carlo Methods", SIAM 1992, ch. 3), of powers of the root of g^(D + 2) = g + 1, from
// a draw keyed by the cell: what flows out of a deep cell becomes particles evenly, however slow.
template <int D>
struct Sites {
  Index along;            // of a cell, along an axis
  Real share;             // of them that get a particle
  std::uint64_t seed;     // of draws
  std::uint32_t key;      // of the stage
  std::uint64_t substep;  // ever counting
  double turn[D + 1], step[D + 1];

  static Sites of(double particles_a_side);
  void begin(std::uint64_t seed, std::uint32_t key, std::uint64_t substep);
  RTSIM_HD Index count() const { return D == 2 ? along * along : along * along * along; }
};

// Those that are `wanted`, or have particles where `first` is given, and are not deep. `lines`:
// room for a number for each line of cells.
Index list_cells(const Exec&, const mac::Domain&, Bytes wanted, Bytes deep, Span<const Index> first,
                 Span<Index> lines, Buffer<Index>& cells);

// What follows has numbers for each cell of a list. A bit for each site of cells beside what was
// deep (`origin` > 0) where its liquid comes from a deep cell.
template <int D>
void find_seeds(const Exec&, const Move<D>&, const Sites<D>&, Cells, Bytes origin, Bytes was_deep,
                Span<std::uint64_t> seeds);
// All sites.
template <int D>
void seed_all(const Exec&, const Place<D>&, const Sites<D>&, Cells, Span<std::uint64_t> seeds);

// Particles and seeds.
std::int64_t count_in(const Exec&, Cells, Span<const Index> first, Span<const std::uint64_t> seeds);

// Cells of the band away from the surface (`edge` 0) with less than half of the particles that tile
// a cell get up to that, those with more than twice as many lose down to that. The sum of changes.
struct Crowd {
  Index least, most;  // particles of a cell
  Cells cells;
  Span<const Index> first;
  Span<const std::uint64_t> seeds;
  Bytes edge;

  static Crowd limited(double tile, Cells, Span<const Index> first, Span<const std::uint64_t> seeds,
                       Bytes edge);
};
std::int64_t even_out(const Exec&, const Crowd&, Span<Index> change);
// How many more each of them may get or, if `fewer`, may lose within these limits; the sum.
std::int64_t find_room(const Exec&, const Crowd&, bool fewer, Span<const Index> change,
                       Span<Index> room);
// As many particles besides, fewer where `owed` < 0, as evenly as they go: of all room, `before`
// the sum of cells before each, every so-many-th, counted from `start`.
void pay(const Exec&, std::int64_t owed, std::int64_t all, std::int64_t start,
         Span<const Index> room, Span<const Index> before, Span<Index> change);

// How many particles each cell gets.
void count_seeds(const Exec&, Span<const std::uint64_t> seeds, Span<const Index> change,
                 Span<Index> count);
// Places of the new particles, by cell behind `offset`.
template <int D>
void sow(const Exec&, const Place<D>&, const Sites<D>&, Cells, Span<const std::uint64_t> seeds,
         Span<const Index> change, Span<const Index> offset, Span<Vec<D>> position);
// Their velocity, and its gradient where there is one, is that of where they come from.
template <int D>
void give_velocity(const Exec&, const Place<D>&, const Move<D>&, const State<D>&);
void number(const Exec&, std::uint32_t first, Span<std::uint32_t> id);

// Of particles in cells (`order`, `first` as bin_by_key has them) those in cells that are not
// listed go, and as many as `change` takes from those that are.
void doom(const Exec&, std::uint64_t substep, Cells, Span<const Index> order,
          Span<const Index> first, Span<const Index> change, Span<std::uint32_t> doomed);

// --- band.cu: what deep cells stand for

// Of unit density and cells of unit volume, with the velocity on their faces; no front.
template <int D>
Sums sums_of_deep(const Exec&, const Place<D>&, Bytes deep, const mac::Velocity& carried,
                  Vec<D> gravity);

// right_hand_side = 0 in these cells.
void leave_out(const Exec&, Bytes cells, Span<Real> right_hand_side);

}  // namespace rtsim::flip
