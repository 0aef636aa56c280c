#pragma once
#include "flip/flip.h"

// Which particles are near a place of a lattice.
namespace rtsim::flip {

// Cells from `low` to `high` along x, at line (j, k) of the cells: visit(begin, end, shift) for
// runs of particles, where shift brings their x [cells] beside the place that looks.
template <class Visit>
RTSIM_HD inline void for_runs_along(const mac::Domain& d, const Index* first, Index line, Index low,
                                    Index high, const Visit& visit) {
  const Index n = d.cells[0];
  const Index* of_line = first + Offset(line) * n;
  const auto run = [&](Index from, Index to, Real shift) {
    const Index begin = of_line[from], end = of_line[to + 1];
    if (begin < end) visit(begin, end, shift);
  };
  const Index from = low > 0 ? low : 0, to = high < n - 1 ? high : n - 1;
  if (from <= to) run(from, to, 0);
  if (!d.periodic(0)) return;
  if (low < 0) run(low + n, n - 1, Real(-n));
  if (high >= n) run(0, high - n, Real(n));
}

// Line (j, k) of the cells with images: visit(line, shifts of y and z), or nothing outside.
template <class Visit>
RTSIM_HD inline void with_line(const mac::Domain& d, Index j, Index k, const Visit& visit) {
  Index at[3] = {0, j, k};
  Real shift[3] = {0, 0, 0};
  for (int a = 1; a < 3; ++a) {
    const Index n = d.cells[a];
    if (at[a] >= 0 && at[a] < n) continue;
    if (a >= d.dims || !d.periodic(a)) return;
    shift[a] = at[a] < 0 ? Real(-n) : Real(n);
    at[a] += at[a] < 0 ? n : -n;
  }
  visit(at[1] + d.cells[1] * at[2], shift);
}

// The lines of cells within `reach` cells of row (j, k) of a lattice: visit(line, shift).
template <int D, class Visit>
RTSIM_HD inline void for_lines(const mac::Domain& d, int lattice, Index reach, Index j, Index k,
                               const Visit& visit) {
  const Index zs = D == 3 ? reach : 0, y1 = j + reach - (lattice == 1),
              z1 = k + zs - (lattice == 2);
  for (Index z = k - zs; z <= z1; ++z)
    for (Index y = j - reach; y <= y1; ++y) with_line(d, y, z, visit);
}

// The lines of cells exactly so many cells from a cell, along y or z: visit(line, shift).
template <int D, class Visit>
RTSIM_HD inline void for_ring(const mac::Domain& d, Index ring, const Index (&cell)[3],
                              const Visit& visit) {
  const Index zs = D == 3 ? ring : 0;
  for (Index z = -zs; z <= zs; ++z) {
    const bool whole = D == 3 && (z == -zs || z == zs);
    for (Index y = -ring; y <= ring; y += whole || ring == 0 ? 1 : 2 * ring)
      with_line(d, cell[1] + y, cell[2] + z, visit);
  }
}

// The cells of a line [low, high] with the first and the last particle within `reach` cells of line
// (j, k) of a lattice; high < low where there are none. Along a periodic axis: all of them.
struct Filled {
  Index low, high;
};
template <int D>
RTSIM_HD inline Filled filled_near(const mac::Domain& d, const Index* first, int lattice,
                                   Index reach, Index j, Index k) {
  const Index n = d.cells[0];
  Filled all{n, -1};
  for_lines<D>(d, lattice, reach, j, k, [&](Index line, const Real*) {
    const Index* of = first + Offset(line) * n;
    if (of[0] == of[n]) return;
    // of[c] is the number of particles before cell c: by halves.
    const auto least = [&](Index value, bool above) {
      Index low = 0, high = n;
      while (low < high) {
        const Index middle = (low + high) / 2;
        if (above ? of[middle + 1] > value : of[middle + 1] >= value)
          high = middle;
        else
          low = middle + 1;
      }
      return low;
    };
    const Index begin = least(of[0], true), end = least(of[n], false);
    all.low = begin < all.low ? begin : all.low;
    all.high = end > all.high ? end : all.high;
  });
  if (all.low <= all.high && d.periodic(0)) return {0, n - 1};
  return all;
}

// The particles in cells within `reach` of place f of a lattice: visit(begin, end, at), where `at`
// is the place, shifted to their side of a seam [cells].
template <int D, class Visit>
RTSIM_HD inline void for_runs(const mac::Domain& d, const Index* first, int lattice, Index reach,
                              const Index (&f)[3], const Visit& visit) {
  for_lines<D>(d, lattice, reach, f[1], f[2], [&](Index line, const Real* shift) {
    Real at[3];
    for (int a = 1; a < 3; ++a)
      at[a] = Real(f[a]) + (lattice == a ? Real(0) : Real(0.5)) - shift[a];
    for_runs_along(d, first, line, f[0] - reach, f[0] + reach - (lattice == 0),
                   [&](Index begin, Index end, Real along) {
                     at[0] = Real(f[0]) + (lattice == 0 ? Real(0) : Real(0.5)) - along;
                     visit(begin, end, at);
                   });
  });
}

}  // namespace rtsim::flip
