#pragma once
#include "rigid/contacts/contacts.h"
#include "rigid/shapes/part.h"

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
  static constexpr int grains = D == 2 ? 1 : 3;
  Real friction[lane_count], static_friction[lane_count];
  Real restitution[lane_count];
  Real rolling[lane_count];        // [m]
  Real grain[grains][lane_count];  // G
};

// Of two that touch, in the tangents and, for a moment about the normal, in the mean of them.
template <int D, class T>
struct Grain {
  VecT<T, LaneMaterials<D>::grains> along, back;  // G and its inverse
  T mean;

  RTSIM_HD Grain(const LaneMaterials<D>& m, Index l)
      : along(lane<T>(m.grain, l)), back(inverse_of(along)), mean(root(root(determinant(along)))) {}
};

// In q and G v, of a symmetric matrix, friction is that of a ball.
template <class T, int G, int M, int N>
RTSIM_HD VecT<T, N> friction_through(const VecT<T, G>& along, const VecT<T, G>& back,
                                     const VecT<T, N>& before, const FrictionMass<T, M>& mass,
                                     const VecT<T, N>& slip, T holds, T slides) {
  const T least = inverse_or_none(trace(along));
  const FrictionMass<T, M> seen{seen_through(back, mass.all), least * least * mass.least};
  return times(along, friction(times(back, before), seen, times(along, slip), holds, slides));
}
template <int D, class T, int M, int N>
RTSIM_HD VecT<T, N> friction_by(const Grain<D, T>& g, const VecT<T, N>& before,
                                const FrictionMass<T, M>& mass, const VecT<T, N>& slip, T holds,
                                T slides) {
  return friction_through(g.along, g.back, before, mass, slip, holds, slides);
}
template <class T>
RTSIM_HD VecT<T, 3> friction_by(const Grain<3, T>& g, const VecT<T, 3>& before,
                                const FrictionMass<T, 6>& mass, const VecT<T, 3>& slip, T holds,
                                T slides) {
  return friction_through(with(g.along, g.mean), with(g.back, T(Real(1)) / g.mean), before, mass,
                          slip, holds, slides);
}

// ContactLaw, with what is a contact's own.
template <int D, class T>
struct OwnContactLaw {
  bool relaxes, again, rolls;
  Real beyond, inverse_h, push_speed, creep_speed;
  T bounce_speed, static_friction, friction, rolling;
  Grain<D, T> grain;

  RTSIM_HD OwnContactLaw(const ContactLaw& law, const LaneMaterials<D>& m, Index l)
      : relaxes(law.relaxes),
        again(law.again),
        rolls(law.rolling > 0),
        beyond(law.beyond),
        inverse_h(law.inverse_h),
        push_speed(law.push_speed),
        creep_speed(law.creep_speed),
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

// What the bodies of each contact make of their materials together: the geometric mean of their
// frictions, in each direction, and the greater of their restitutions and rolling resistances.
// `materials` and `frames` are of bodies, then of boundaries.
template <int D>
void mix_materials(const Exec&, Span<const Material<D>> materials, Span<const BodyPose<D>> poses,
                   Span<const ContactBlock<D>>, Span<LaneMaterials<D>>);

// As solve_contacts, where contacts have materials of their own.
template <int D>
void solve_own_contacts(const Exec&, const ContactLaw&, Span<const LaneMaterials<D>>,
                        Span<ContactBlock<D>>, Index begin, Index end, bool both,
                        Span<Row4> solver_bodies);

}  // namespace rtsim::rigid
