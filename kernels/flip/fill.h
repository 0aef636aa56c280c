#pragma once
#include "advection/sample.h"
#include "flip/runs.h"

// How much of a cell its particles fill: one text for a particle and for eight.
namespace rtsim::flip {

// Boxes of particles, which stay within closed sides.
template <int D>
struct Boxes {
  Real half;             // of a side [cells]
  Real low[D], high[D];  // of a middle [cells]

  static Boxes of(const mac::Domain& d, Real half) {
    Boxes b{half, {}, {}};
    for (int a = 0; a < D; ++a) {
      const Real n = Real(d.cells[a]);
      b.low[a] = d.closed(a, 0) ? half : -n, b.high[a] = d.closed(a, 1) ? n - half : 2 * n;
    }
    return b;
  }
  // Of the middle of a box from that of a cell [cells].
  template <class T>
  [[gnu::always_inline]] RTSIM_HD T off(int a, T x, Real cell) const {
    return greatest(T(low[a]), least(T(high[a]), x)) - T(cell);
  }
  // What of the box is in the cell [cells].
  template <class T>
  [[gnu::always_inline]] RTSIM_HD T volume(const T (&off)[D]) const {
    const T none(Real(0)), side(least(2 * half, Real(1))), reach(half + Real(0.5));
    T v(Real(1));
    for (int a = 0; a < D; ++a)
      v = v * greatest(none, least(side, reach - greatest(off[a], none - off[a])));
    return v;
  }
};

// The CPU-shaped form: eight particles at once.
template <int D>
void fill_lines(const Exec&, const mac::Domain&, const Particles<D>&, Real half,
                Span<const std::uint8_t> only, Span<Real> fill);

}  // namespace rtsim::flip
