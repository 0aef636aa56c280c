#pragma once
#include "advection/sample.h"
#include "flip/flip.h"

// Grid-to-particle transfer (G2P), PIC, FLIP or APIC, and the way of a particle along the flow: one
// text for a particle and for eight.
namespace rtsim::flip {

// Reads the faces at places [cells].
template <int D, class T>
struct Reader {
  const mac::Domain& domain;
  const mac::Layout& layout;

  // The corners of component b around a place: those of the margin are as far as it goes.
  [[gnu::always_inline]] RTSIM_HD advection::Corners<D, T> around(int b,
                                                                  const T (&place)[D]) const {
    using I = typename Rows<T>::Integer;
    const Index stride[3] = {1, layout.pitch, layout.plane};
    advection::Corners<D, T> c;
    c.in_row = false;
    for (int a = 0; a < D; ++a) {
      const T n(Real(domain.cells[a]));
      T x = place[a];
      if (domain.periodic(a))
        x = greatest(T(Real(0)), least(n, x - n * floor_of(x / n)));
      else
        x = greatest(T(Real(-1)), least(n + T(Real(1)), x));
      const auto beside = advection::between_rows(x - T(a == b ? Real(0) : Real(0.5)));
      c.low[a] = beside.low, c.high[a] = beside.high;
      const I i = to_index(beside.whole) * I(stride[a]);
      c.index = a == 0 ? i : c.index + i;
    }
    return c;
  }
  [[gnu::always_inline]] RTSIM_HD T at(const mac::Faces& f, int b, const T (&place)[D]) const {
    return advection::value<D, T>(layout, f.u[b], around(b, place));
  }
  [[gnu::always_inline]] RTSIM_HD void at(const mac::Faces& f, const T (&place)[D],
                                          T (&u)[D]) const {
    for (int b = 0; b < D; ++b) u[b] = at(f, b, place);
  }

  // The value and the gradient [1 / cell] of what interpolates between the corners.
  [[gnu::always_inline]] RTSIM_HD T slope(const mac::Faces& f, int b, const T (&place)[D],
                                          T (&gradient)[D]) const {
    const auto c = around(b, place);
    const advection::Anywhere<T> load{f.u[b], c.index};
    struct Line {
      T value, along;
    };
    struct Plane {
      T value, along, across;
    };
    const auto line = [&](Index step) {
      const Pair<T> p = load(step);
      return Line{c.low[0] * p.first + c.high[0] * p.second, p.second - p.first};
    };
    const auto plane = [&](Index step) {
      const Line low = line(step), high = line(step + layout.pitch);
      return Plane{c.low[1] * low.value + c.high[1] * high.value,
                   c.low[1] * low.along + c.high[1] * high.along, high.value - low.value};
    };
    const Plane low = plane(0);
    if constexpr (D == 2) {
      gradient[0] = low.along, gradient[1] = low.across;
      return low.value;
    } else {
      const Plane high = plane(layout.plane);
      gradient[0] = c.low[2] * low.along + c.high[2] * high.along;
      gradient[1] = c.low[2] * low.across + c.high[2] * high.across;
      gradient[2] = high.value - low.value;
      return c.low[2] * low.value + c.high[2] * high.value;
    }
  }
};

// What a step makes of a particle.
template <int D, class T>
struct Moved {
  T x[D], u[D], affine[D][D];
};

// By the shift, with the velocity that the flow has there, so that a flow stays as it is however
// its particles are spread in it.
template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline void make_room(const Move<D>& law, const Reader<D, T>& read,
                                                      const T (&x)[D], const T (&u)[D],
                                                      Moved<D, T>& to) {
  T off[D], there[D];
  for (int a = 0; a < D; ++a) off[a] = read.at(law.shift, a, x);
  for (int a = 0; a < D; ++a) there[a] = x[a] + off[a], to.x[a] = to.x[a] + off[a];
  for (int a = 0; a < D; ++a) to.u[a] = to.u[a] + (read.at(law.now, a, there) - u[a]);
}

// `own`: its velocity before, for `flip`.
template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline Moved<D, T> move_one(const Move<D>& law,
                                                            const Particles<D>& p, Index row,
                                                            const T (&own)[D]) {
  const Reader<D, T> read{law.domain, law.layout};
  T x[D], k1[D], k2[D], place[D];
  Moved<D, T> to;
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) to.affine[a][b] = T(Real(0));
  for (int a = 0; a < D; ++a) x[a] = Rows<T>::load(p.x[a] + row);
  for (int a = 0; a < D; ++a)
    k1[a] = law.transfer == Transfer::apic ? read.slope(law.now, a, x, to.affine[a])
                                           : read.at(law.now, a, x);
  for (int a = 0; a < D; ++a) {
    to.u[a] = k1[a];
    if (law.transfer == Transfer::flip)
      to.u[a] = k1[a] + T(law.flip_share) * (own[a] - read.at(law.before, a, x));
  }
  const Real c = law.cells_per_speed;
  const auto ahead = [&](Real part, const T(&k)[D]) {
    for (int a = 0; a < D; ++a) place[a] = x[a] + T(part * c) * k[a];
  };
  ahead(Real(0.5), k1);
  read.at(law.now, place, k2);
  if (law.trace == advection::Trace::midpoint) {
    for (int a = 0; a < D; ++a) to.x[a] = x[a] + T(c) * k2[a];
  } else {
    T k3[D];
    ahead(Real(0.75), k2);
    read.at(law.now, place, k3);
    for (int a = 0; a < D; ++a)
      to.x[a] = x[a] + T(c / 9) * (T(Real(2)) * k1[a] + T(Real(3)) * k2[a] + T(Real(4)) * k3[a]);
  }
  if (law.shift.u[0]) make_room(law, read, x, k1, to);
  return to;
}

// The row of the table gets it back.
template <int D>
RTSIM_HD inline void write_back(const Place<D>& place, const State<D>& s, Index i,
                                const Moved<D, Real>& m) {
  for (int a = 0; a < D; ++a) {
    s.position[i][a] = place.metres(a, m.x[a]), s.velocity[i][a] = m.u[a];
    if (!s.affine.data) continue;
    for (int b = 0; b < D; ++b) s.affine[i][a * D + b] = m.affine[a][b] / place.domain.spacing;
  }
}

// The CPU-shaped form: eight particles at once.
template <int D>
void move_eights(const Exec&, const Place<D>&, const Move<D>&, const Particles<D>&,
                 const State<D>&);

}  // namespace rtsim::flip
