#pragma once
#include "fem/deformation.h"
#include "modal/modal.h"

// What a point, or eight, of a slot does: T is Real or Lanes<Real>.
namespace rtsim::modal {

template <class T>
struct Reader;
template <>
struct Reader<Real> {
  Index lane;
  RTSIM_HD Real operator()(const Real* row) const { return row[lane]; }
};

template <class T>
RTSIM_HD VecT<T, 3> read(const Reader<T>& r, const Real (&rows)[3][lane_count]) {
  return {{r(rows[0]), r(rows[1]), r(rows[2])}};
}
template <class T>
RTSIM_HD VecT<T, 3> splat(const Vec<3>& v) {
  return {{T(v[0]), T(v[1]), T(v[2])}};
}
template <class T>
RTSIM_HD Mat3<T> splat(const Mat3<Real>& m) {
  return {splat<T>(m.row[0]), splat<T>(m.row[1]), splat<T>(m.row[2])};
}

// The rotation by a vector w and the mean of those on the way, as
//   Q d = d + b w x d + a w x (w x d),  T d = d + a w x d + g w x (w x d)
// with b = sin|w| / |w|, a = (1 - cos|w|) / |w|^2, g = (1 - b) / |w|^2.
template <class T>
struct Turn {
  VecT<T, 3> w;
  T b, a, g;
};
template <class T>
struct TurnBy;
template <>
struct TurnBy<Real> {
  RTSIM_HD static Turn<Real> of(const Vec<3>& w) {
    const Real s = dot(w, w);
    if (s < Real(1e-2))  // the next terms are below 1e-8 of these
      return {w, 1 - s / 6 * (1 - s / 20 * (1 - s / 42)),
              Real(0.5) * (1 - s / 12 * (1 - s / 30 * (1 - s / 56))),
              Real(1) / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72)))};
    const Real angle = std::sqrt(s), b = std::sin(angle) / angle;
    return {w, b, (1 - std::cos(angle)) / s, (1 - b) / s};
  }
};

template <class T>
RTSIM_HD VecT<T, 3> rotated(const Turn<T>& t, T first, T second, const VecT<T, 3>& d) {
  const VecT<T, 3> wd = cross(t.w, d);
  return fem::fma(first, wd, fem::fma(second, cross(t.w, wd), d));
}

// Where a point is in the frame, from the frame's centre, and how fast it moves there.
template <class T>
struct Local {
  VecT<T, 3> at, rate;
  Turn<T> turn;  // only where shapes are warped
};

template <class T>
RTSIM_HD Local<T> local_motion(const Shapes& all, const Amplitudes& a, Index slot,
                               const Reader<T>& r) {
  VecT<T, 3> u{{T(0), T(0), T(0)}}, rate = u, w = u;
  const Offset first = Offset(slot) * all.modes;
  for (Index j = 0; j < all.modes; ++j) {
    const VecT<T, 3> phi = read(r, all.shapes.data[first + j].u);
    u = fem::fma(T(a.q[j]), phi, u), rate = fem::fma(T(a.rate[j]), phi, rate);
  }
  Local<T> l;
  if (all.warps()) {
    for (Index j = 0; j < all.modes; ++j)
      w = fem::fma(T(a.q[j]), read(r, all.turns.data[first + j].u), w);
    l.turn = TurnBy<T>::of(w);
    u = rotated(l.turn, l.turn.a, l.turn.g, u);
    rate = rotated(l.turn, l.turn.b, l.turn.a, rate);
  }
  l.at = read(r, all.points[slot].rest) + u, l.rate = rate;
  return l;
}

template <class T>
RTSIM_HD VecT<T, 3> place_of(const Frame& f, const Local<T>& l) {
  return fem::product(splat<T>(f.rotation), l.at) + splat<T>(f.place);
}
template <class T>
RTSIM_HD VecT<T, 3> velocity_of(const Frame& f, const Local<T>& l) {
  const VecT<T, 3> within = cross(splat<T>(f.spin), l.at) + l.rate;
  return fem::product(splat<T>(f.rotation), within) + splat<T>(f.velocity);
}

// Of a warped shape: Q^T p, the rotation by -w.
template <class T>
RTSIM_HD VecT<T, 3> unwarped(const Turn<T>& t, const VecT<T, 3>& p) {
  const VecT<T, 3> wp = cross(t.w, p);
  return fem::fma(T(0) - t.b, wp, fem::fma(t.a, cross(t.w, wp), p));
}

constexpr Index slots_per_part = 32;

}  // namespace rtsim::modal
