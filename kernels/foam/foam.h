#pragma once
#include "exec/exec.h"
#include "exec/span.h"
#include "foam/laws.h"
#include "neighbours/neighbours.h"

// Launchers of foam. Spans of the liquid are in the order of its cells.
namespace rtsim::foam {

struct Liquid {
  CellRows cells;
  Span<const Row4> velocity;      // [m/s]
  Span<const std::uint32_t> ids;  // of its table
  Reach reach;
};

// Row k of the packed liquid is row order[k] of its table.
template <int D>
void pack_liquid(const Exec&, Span<const Index> order, Span<const Vec<D>> position,
                 Span<const Vec<D>> velocity, Span<const std::uint32_t> id, Span<Row4> rows,
                 Span<Row4> packed_velocity, Span<std::uint32_t> packed_id);

// What liquid particles see of one another: normals of the surface, zero inside, with the speed of
// approach as their w; and how many neighbours there are. Those without kinetic energy bear
// nothing: they do not look, which is most of the time, and are no part of their neighbours'
// crests.
struct Sight {
  Span<Row4> normal;
  Span<Index> neighbours;
};
void look(const Exec&, const Liquid&, const Ramp& energy, const Sight&);

// births[k]: how many particles row k bears in a step dt.
void count_births(const Exec&, const Liquid&, const Sight&, const Potentials&, const Draws&,
                  Real dt, Span<Index> births);

// The foam's columns.
template <int D>
struct Rows {
  Span<Vec<D>> position, velocity;
  Span<std::uint32_t> id;
  Span<std::int32_t> phase;
  Span<Real> age, lifetime;  // [s]
};

struct Newborn {
  Span<const Index> first;  // row k of the liquid bears the rows from base + first[k] on
  Span<const Index> births;
  Index base;
  std::uint32_t first_id;
  Real dt, radius, spread;
  Real lifetime;  // [s], the mean
  Classes classes;
};

// Ways that newborn rows have come when walls are asked, with the rows from `base` on at 0: from
// `at`, where the liquid that bears them is, at the velocity `way` within `dt`.
struct Ways {
  Span<Row4> at, way;  // [m], [m/s]; of no size where there are no walls
  Real dt;             // [s]
};

// Fills the foam's rows from `base` on; there may be fewer of them than births.
template <int D>
void bear(const Exec&, const Liquid&, const Sight&, const Draws&, const Newborn&, const Ways&,
          const Rows<D>&);

// Puts those rows whose ways walls have bent where these end.
template <int D>
void keep_born(const Exec&, Index base, const Ways&, Span<const Row4> bent, const Rows<D>&);

// What the foam's rows become in a step, and at which mean velocity they go: `way` [m/s]. `at` has
// their places.
template <int D>
void advance(const Exec&, const Liquid&, const Classes&, const Motion&, const Rows<D>&,
             Span<Row4> at, Span<Row4> way);

// Goes the way `bent`, which walls may have made of `way`, and gives velocities the same change.
// doomed[i] = 1 where a life is over, or a row lies beyond the box.
template <int D>
void go(const Exec&, Real dt, const neighbours::Box& domain, Span<const Row4> way,
        Span<const Row4> bent, const Rows<D>&, Span<std::uint32_t> doomed);

struct Counts {
  Index of[3] = {0, 0, 0};  // by phase
};
Counts count(const Exec&, Span<const std::int32_t> phase);

}  // namespace rtsim::foam
