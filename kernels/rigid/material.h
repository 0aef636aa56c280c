#pragma once
#include "rigid/contacts.h"

// Friction of its own for each contact, that differs from one direction to another: a cone over an
// ellipse. With a symmetric matrix G over the tangents, friction is f = mu G q of a q in the disc
// |q| <= pressure, and takes most energy where q goes against G v of the slip v: Michalowski &
// Mroz, "Associated and non-associated sliding rules in contact friction problems", Archives of
// Mechanics 30, 1978. In q and G v it is the law of a disc.
namespace rtsim::rigid {

// What a body or a boundary is like where it touches.
template <int D>
struct Material {
  Real friction, static_friction;  // across the axis
  Real along;                      // friction along it to friction across
  Vec<D> axis;                     // of length one, in the body's frame
  Real restitution;
  Real rolling;  // [m]
};

// What two of them make of each of eight contacts.
template <int D>
struct LaneMaterials {
  static constexpr int masses = ContactBlock<D>::masses;
  Real friction[lane_count], static_friction[lane_count];
  Real restitution[lane_count];
  Real rolling[lane_count];        // [m]
  Real grain[masses][lane_count];  // G
};

// Of symmetric matrices (xx, xy, yy).
template <class T>
RTSIM_HD VecT<T, 2> times(const VecT<T, 3>& g, const VecT<T, 2>& v) {
  return {{g[0] * v[0] + g[1] * v[1], g[1] * v[0] + g[2] * v[1]}};
}
template <class T>
RTSIM_HD VecT<T, 1> times(const VecT<T, 1>& g, const VecT<T, 1>& v) {
  return {{g[0] * v[0]}};
}
// H M H.
template <class T>
RTSIM_HD VecT<T, 3> seen_through(const VecT<T, 3>& h, const VecT<T, 3>& m) {
  const VecT<T, 2> x = times(m, VecT<T, 2>{{h[0], h[1]}}), y = times(m, VecT<T, 2>{{h[1], h[2]}});
  return {{h[0] * x[0] + h[1] * x[1], h[0] * y[0] + h[1] * y[1], h[1] * y[0] + h[2] * y[1]}};
}
template <class T>
RTSIM_HD VecT<T, 1> seen_through(const VecT<T, 1>& h, const VecT<T, 1>& m) {
  return {{h[0] * m[0] * h[0]}};
}

template <int D, class T>
struct Grain {
  VecT<T, ContactBlock<D>::masses> along, back;  // G and its inverse

  RTSIM_HD Grain(const LaneMaterials<D>& m, Index l)
      : along(lane<T>(m.grain, l)), back(inverse_of(along)) {}
};

template <int D, class T, class Masses, int N>
RTSIM_HD VecT<T, N> friction_by(const Grain<D, T>& g, const VecT<T, N>& before, const Masses& mass,
                                const VecT<T, N>& slip, T holds, T slides) {
  return times(g.along, friction(times(g.back, before), seen_through(g.back, mass),
                                 times(g.along, slip), holds, slides));
}
template <int D, class T, int N>
RTSIM_HD T needed_by(const Grain<D, T>& g, const VecT<T, N>& f) {
  const VecT<T, N> q = times(g.back, f);
  return root(dot(q, q));
}

// ContactLaw, with what is a contact's own.
template <int D, class T>
struct OwnContactLaw {
  bool relaxes, rolls;
  Real inverse_h, push_speed;
  T bounce_speed, static_friction, friction, rolling;
  Grain<D, T> grain;

  RTSIM_HD OwnContactLaw(const ContactLaw& law, const LaneMaterials<D>& m, Index l)
      : relaxes(law.relaxes),
        rolls(law.rolling > 0),
        inverse_h(law.inverse_h),
        push_speed(law.push_speed),
        bounce_speed(
            select_less(T(Real(0)), lane<T>(m.restitution, l), T(law.bounce_speed), T(Real(1e30)))),
        static_friction(lane<T>(m.static_friction, l)),
        friction(lane<T>(m.friction, l)),
        rolling(lane<T>(m.rolling, l)),
        grain(m, l) {}
};
template <int D, class T>
RTSIM_HD const Grain<D, T>& grain_of(const OwnContactLaw<D, T>& law) {
  return law.grain;
}
template <int D, class T>
RTSIM_HD bool rolls(const OwnContactLaw<D, T>& law) {
  return law.rolls;
}

// ImpactLaw likewise.
template <int D>
struct OwnImpactLaw : ImpactLaw {
  Grain<D, Real> grain;

  RTSIM_HD OwnImpactLaw(const ImpactLaw& law, const LaneMaterials<D>& m, Index l)
      : ImpactLaw(law), grain(m, l) {
    restitution = m.restitution[l], friction = m.friction[l];
  }
};
template <int D>
RTSIM_HD const Grain<D, Real>& grain_of(const OwnImpactLaw<D>& law) {
  return law.grain;
}

}  // namespace rtsim::rigid
