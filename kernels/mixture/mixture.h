#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "sph/phases.h"

// Launchers that take the rows of several fluids into one table, and bring them back. A row of the
// mixture says of which phase it is, and which row of that fluid's table; a fluid's row says its
// place in the mixture, one more than the row's number: zero for rows that are new.
namespace rtsim::mixture {

// Rows of the mixture whose fluid still has them: doomed becomes 0 (else it stays), and their row
// what it is now.
void claim(const Exec&, Span<const Index> place, Span<Index> row, Span<std::uint32_t> doomed);
// 1 where a row is new, else 0.
void mark_new(const Exec&, Span<const Index> place, Span<Index> is_new);

template <int D>
struct Rows {
  Span<Real> phase;
  Span<Index> row;
  Span<Vec<D>> position, velocity;
};
// New rows, r of them as row first + at[r] of the mixture.
template <int D>
void add(const Exec&, Real phase, Index first, Span<const Index> place, Span<const Index> at,
         Span<const Vec<D>> position, const Rows<D>& to);

template <int D>
struct Phase {
  Real index, relative_density;
  Span<Vec<D>> position, velocity;
  Span<Real> density, pressure;
  Span<Index> place;
};
// Velocities of the rows of one phase.
template <int D>
void take(const Exec&, const Phase<D>& from, const Rows<D>& to);
// Everything back to one phase; densities times its own.
template <int D>
void give(const Exec&, const Rows<D>& from, Span<const Real> density, Span<const Real> pressure,
          const Phase<D>& to);

// rows[i] *= s_i, the relative density of its phase.
void weigh(const Exec&, const sph::Phases&, Span<const Real> phase, Span<Row4> rows);

}  // namespace rtsim::mixture
