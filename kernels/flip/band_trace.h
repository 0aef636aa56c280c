#pragma once
#include "base/random.h"
#include "flip/band.h"
#include "flip/move.h"

// Where liquid on the grid comes from: one text for a place and for eight.
namespace rtsim::flip {

template <int D, class T>
struct Origin {
  const Move<D>& law;

  [[gnu::always_inline]] RTSIM_HD T at(const mac::Faces& f, int b, const T (&x)[D]) const {
    auto c = Reader<D, T>{law.domain, law.layout}.around(b, x);
    c.in_row = in_row(c.index);
    return advection::value<D, T>(law.layout, f.u[b], c);
  }
  [[gnu::always_inline]] RTSIM_HD void at(const mac::Faces& f, const T (&x)[D], T (&u)[D]) const {
    for (int b = 0; b < D; ++b) u[b] = at(f, b, x);
  }
  // The way of move_one(), backwards.
  [[gnu::always_inline]] RTSIM_HD void operator()(T (&x)[D]) const {
    T k1[D];
    if (law.shift.u[0]) {
      T off[D];
      at(law.shift, x, off);
      for (int a = 0; a < D; ++a) x[a] = x[a] - off[a];
    }
    at(law.now, x, k1);
    follow(k1, x);
  }
  // The same of rows of a lattice, where the velocity is a mean of faces.
  [[gnu::always_inline]] RTSIM_HD void of_row(int lattice, const Index (&row)[3], T (&x)[D]) const {
    for (int a = 0; a < D; ++a)
      x[a] = (a == 0 ? Rows<T>::place(row[0]) : T(Real(row[a]))) +
             T(lattice == a ? Real(0) : Real(0.5));
    if (law.shift.u[0]) return (*this)(x);
    const advection::Flow flow{law.layout, law.now, {}, 0, law.trace};
    const advection::Tracer<D, T> tracer{flow, lattice, row};
    T k1[D];
    for (int b = 0; b < D; ++b) k1[b] = tracer.here(b);
    follow(k1, x);
  }

 private:
  [[gnu::always_inline]] RTSIM_HD void follow(const T (&k1)[D], T (&x)[D]) const {
    T k2[D], place[D];
    const Real c = law.cells_per_speed;
    const auto behind = [&](Real part, const T(&k)[D]) {
      for (int a = 0; a < D; ++a) place[a] = x[a] - T(part * c) * k[a];
    };
    behind(Real(0.5), k1);
    at(law.now, place, k2);
    if (law.trace == advection::Trace::midpoint) {
      for (int a = 0; a < D; ++a) x[a] = x[a] - T(c) * k2[a];
      return;
    }
    T k3[D];
    behind(Real(0.75), k2);
    at(law.now, place, k3);
    for (int a = 0; a < D; ++a)
      x[a] = x[a] - T(c / 9) * (T(Real(2)) * k1[a] + T(Real(3)) * k2[a] + T(Real(4)) * k3[a]);
  }
};

// Lagrange's cubic polynomial through four values along each axis, at t between the middle two:
// of third order and, unlike linear means, without a viscosity of its own.
template <class T>
[[gnu::always_inline]] RTSIM_HD inline void cubic_weights(T t, T (&w)[4]) {
  const T one(Real(1)), two(Real(2)), half(Real(0.5)), sixth(Real(1) / 6);
  const T low = one - t, up = one + t, down = two - t;
  w[0] = T(Real(0)) - sixth * t * low * down;
  w[1] = half * up * low * down;
  w[2] = half * up * t * down;
  w[3] = T(Real(0)) - sixth * up * t * low;
}

template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline T cubic(const Move<D>& law, int b, const T (&x)[D]) {
  T inside[D], w[D][4];
  // As far as the margin has two values beyond.
  for (int a = 0; a < D; ++a)
    inside[a] =
        law.domain.periodic(a)
            ? x[a]
            : greatest(T(Real(-0.5)), least(T(Real(law.domain.cells[a]) + Real(0.5)), x[a]));
  auto c = Reader<D, T>{law.domain, law.layout}.around(b, inside);
  for (int a = 0; a < D; ++a) cubic_weights(c.high[a], w[a]);
  const auto blend = [&](const auto& load) {
    const auto line = [&](Index step) {
      const Pair<T> p = load(step - 1), q = load(step + 1);
      return w[0][0] * p.first + w[0][1] * p.second + w[0][2] * q.first + w[0][3] * q.second;
    };
    const auto plane = [&](Index step) {
      T sum = w[1][0] * line(step - law.layout.pitch);
      for (Index k = 1; k < 4; ++k) sum = sum + w[1][k] * line(step + (k - 1) * law.layout.pitch);
      return sum;
    };
    if constexpr (D == 2) {
      return plane(0);
    } else {
      T sum = w[2][0] * plane(-law.layout.plane);
      for (Index k = 1; k < 4; ++k) sum = sum + w[2][k] * plane((k - 1) * law.layout.plane);
      return sum;
    }
  };
  if (in_row(c.index)) return blend(advection::InRow<T>{law.now.u[b] + first_of(c.index)});
  return blend(advection::Anywhere<T>{law.now.u[b], c.index});
}

// Whether the faces' velocity is the carried one: deep cells are around the cells on both sides.
RTSIM_HD inline bool carries(const mac::Domain& d, int axis, const std::uint8_t* around, Index i,
                             Index j, Index k) {
  const Index n = d.cells[axis];
  for (Index side = 0; side < 2; ++side) {
    Index at[3] = {i, j, k};
    at[axis] -= side;
    if (at[axis] < 0 || at[axis] >= n) {
      if (!d.periodic(axis)) continue;
      at[axis] += at[axis] < 0 ? n : -n;
    }
    if (!around[d.row(mac::centres, at[0], at[1], at[2])]) return false;
  }
  return true;
}

// Deep cells at places.
template <int D>
struct DeepCells {
  mac::Domain domain;
  const std::uint8_t *deep, *around;

  RTSIM_HD Index along(int a, Real x) const {
    const Index n = domain.cells[a];
    if (domain.periodic(a)) x -= Real(n) * std::floor(x / Real(n));
    const Index i = x > 0 ? Index(x) : 0;
    return i < n ? i : n - 1;
  }
  RTSIM_HD Index row(const Real (&x)[D]) const {
    Index at[3] = {0, 0, 0};
    for (int a = 0; a < D; ++a) at[a] = along(a, x[a]);
    return domain.row(mac::centres, at[0], at[1], at[2]);
  }
  RTSIM_HD bool here(const Real (&x)[D]) const { return deep[row(x)] != 0; }
  RTSIM_HD std::uint8_t origin(const Real (&x)[D]) const {
    if (!around[row(x)]) return 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real y[D];
      for (int a = 0; a < D; ++a) y[a] = x[a] + ((corner >> a & 1) ? Real(0.5) : Real(-0.5));
      if (here(y)) return 2;
    }
    return 1;
  }
};

// Where the sites of a cell are in a substep.
template <int D>
struct PlaceOfSite {
  Sites<D> sites;
  Index at[3];
  Random4 draw;

  RTSIM_HD PlaceOfSite(const Sites<D>& of, const mac::Domain& d, Index c)
      : sites(of),
        at{c % d.cells[0], c / d.cells[0] % d.cells[1], c / d.cells[0] / d.cells[1]},
        draw(philox(of.seed, of.key, 0, std::uint32_t(c))) {}

  // The sequence goes on from site to site.
  RTSIM_HD Real turned(Index s, int a) const {
    const double x = uniform(draw.c[a]) + sites.turn[a] + double(s) * sites.step[a];
    return Real(x - std::floor(x));
  }
  // Whether it gets a particle.
  RTSIM_HD bool operator()(Index s, Real (&x)[D]) const {
    Index rest = s;
    for (int a = 0; a < D; ++a) {
      x[a] = Real(at[a]) + (Real(rest % sites.along) + turned(s, a)) / Real(sites.along);
      rest /= sites.along;
    }
    return sites.share >= 1 || turned(s, D) < sites.share;
  }
};

// The bits of sites in a cell whose liquid comes from a deep one.
template <int D, class T>
RTSIM_HD inline std::uint64_t seeds_of(const Move<D>& law, const Sites<D>& sites,
                                       const DeepCells<D>& was, Index cell) {
  const PlaceOfSite<D> place(sites, law.domain, cell);
  std::uint64_t bits = 0;
  for (Index s = 0; s < sites.count(); s += Rows<T>::count) {
    Real x[D][Rows<T>::count];
    bool taken[Rows<T>::count];
    for (Index l = 0; l < Rows<T>::count; ++l) {
      Real of_site[D];
      taken[l] = place(s + l < sites.count() ? s + l : s, of_site) && s + l < sites.count();
      for (int a = 0; a < D; ++a) x[a][l] = of_site[a];
    }
    T from[D];
    for (int a = 0; a < D; ++a) from[a] = Rows<T>::load(x[a]);
    Origin<D, T>{law}(from);
    for (int a = 0; a < D; ++a) Rows<T>::store(x[a], from[a]);
    for (Index l = 0; l < Rows<T>::count; ++l) {
      Real y[D];
      for (int a = 0; a < D; ++a) y[a] = x[a][l];
      if (taken[l] && was.here(y)) bits |= std::uint64_t(1) << (s + l);
    }
  }
  return bits;
}

// Velocity of new particles from `row` on.
template <int D, class T>
RTSIM_HD inline void velocity_of_new(const Place<D>& place, const Move<D>& law, const State<D>& s,
                                     Index row) {
  Real x[D][Rows<T>::count], u[D][Rows<T>::count], c[D * D][Rows<T>::count];
  const Index n = s.position.size - row < Rows<T>::count ? s.position.size - row : Rows<T>::count;
  for (int a = 0; a < D; ++a)
    for (Index l = 0; l < Rows<T>::count; ++l)
      x[a][l] = place.cells(a, s.position[row + (l < n ? l : 0)][a]);
  T from[D];
  for (int a = 0; a < D; ++a) from[a] = Rows<T>::load(x[a]);
  Origin<D, T>{law}(from);
  const Reader<D, T> read{law.domain, law.layout};
  for (int a = 0; a < D; ++a) {
    T slope[D];
    Rows<T>::store(u[a], read.slope(law.now, a, from, slope));
    for (int b = 0; b < D; ++b) Rows<T>::store(c[a * D + b], slope[b]);
  }
  for (Index l = 0; l < n; ++l) {
    for (int a = 0; a < D; ++a) s.velocity[row + l][a] = u[a][l];
    for (int e = 0; s.affine.data && e < D * D; ++e)
      s.affine[row + l][e] = c[e][l] / place.domain.spacing;
  }
}

// The CPU-shaped forms: eight places at once.
template <int D>
void carry_lines(const Exec&, const Move<D>&, int axis, const std::uint8_t* around, Real* out);
template <int D>
void origin_lines(const Exec&, const Move<D>&, const std::uint8_t* reach, const DeepCells<D>&,
                  std::uint8_t* origin);
template <int D>
void seed_cells(const Exec&, const Move<D>&, const Sites<D>&, Cells, const std::uint8_t* origin,
                const DeepCells<D>& was, std::uint64_t* seeds);
template <int D>
void give_eights(const Exec&, const Place<D>&, const Move<D>&, const State<D>&);

}  // namespace rtsim::flip
