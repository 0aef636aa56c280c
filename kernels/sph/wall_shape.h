#pragma once
#include "boundary/place_samples.h"
#include "contact/solid.h"
#include "neighbours/neighbour_lists.h"
#include "sph/pairs.h"

// Walls as the surfaces that they are. Samples are points: those of a lattice close a face along
// the axes, but on one that is curved or turned they leave gaps of up to 1.8 spacings, and in what
// is thinner than a spacing they lie anyhow. So no row's way may pass the surface itself.
namespace rtsim::sph {

// A closed solid that rows keep `thickness` [m] off, at the rows' time less `ahead` [s].
struct WallShape {
  contact::Solid solid;
  boundary::Pose pose;
  Real ahead;
  Real thickness;
};

// Which rows can be near, and who is told what they lose.
struct NearWalls {
  PairRows samples;
  Span<const neighbours::ListPlace> places;  // of neighbour lists, or none
  Real support;                              // as far as the lists reach [m]
  Real clear;                                // rows that see no sample may go so far [m]
  Span<Index> met;                           // of each row, the sample that it met, or -1
  Span<Row4> lost;                           // and what it lost; both may be empty
};

// Bends the velocities of rows whose way within dt, from the places of `rows`, leads through the
// surface: what approaches it is lost, and the way goes on along it. What begins inside goes no
// deeper, and comes out.
template <int D>
void keep_out_of_shape(const Exec&, Real dt, const WallShape&, const NearWalls&,
                       Span<const Row4> rows, Span<Row4> motion);

// Likewise shifts of rows that stand where their velocities have taken them within dt: no path from
// x - dt v to x + shift leads through the surface.
template <int D>
void keep_shifts_out_of_shape(const Exec&, Real dt, const WallShape&, const NearWalls&,
                              Span<const Row4> rows, Span<const Vec<D>> velocity, Span<Row4> shift);

// met[i] = -1
void forget_meetings(const Exec&, Span<Index> met);

// How many rows lie inside, by more than the rounding of their places.
template <int D>
Index count_inside(const Exec&, const WallShape&, Span<const Vec<D>> position);

}  // namespace rtsim::sph
