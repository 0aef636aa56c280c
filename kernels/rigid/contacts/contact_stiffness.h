#pragma once
#include "rigid/contacts/contact_law.h"

// How stiff contacts are, and how many passes that takes.
//
// A contact is an oscillator, stepped implicitly by h, as a constraint on velocities: v + rate C +
// give P / m = 0 (Catto, "Soft Contact", box2d.org 2011). At rest it gives by P / (h m omega^2).
//
// What bends a column or moves what is heavy changes by little in a pass: there impulses P follow
// velocities as an integral does, with some c << 1 / h^2 in dv/dt = f + dP/dt, and with p passes
// that take overlaps C back and r that do not in each h
//   C''' + (p give / h) C'' + (p + r) c C' + p rate c C = 0,
// which is stable where give / h (p + r) > rate (Routh and Hurwitz), that is (h omega)^2 < p + r.
// So one pass of each lets omega be sqrt(2) / h at most, and what is to be stiffer needs more
// passes. (Found: columns swing beyond 1.3 / h, and pyramids of 4900 boxes, which friction holds
// together, from 1 / h on.)
//
// A contact that would give by more than `sag` times the thinner body's half thickness there, x
// times that, is stiffened: omega^2 by sqrt(x). Not by x itself: loads would then follow
// stiffnesses that follow loads, and swing. And it takes x passes, more than it needs to be stable,
// since what bears x times its own mass takes so many to feel it: each contact its own, as forces
// in heaps are spread exponentially, and a few bear ten times what most do. Where omega h is less
// than 0.9 they take fewer, since they are solved more often. What bears far more than its own mass
// is not stiffened so: kernels/rigid/clusters/contact_clusters.h.
namespace rtsim::rigid {

struct Stiffness {
  Real h;        // [s] of the substep
  Real omega;    // [1/s] of a contact between bodies; twice that against what does not move
  Real damping;  // ratio
  Real sag;
  Real most_passes;
  Real passes;      // for an x of 1
  Real fades;       // what is left of the greatest x of late after a step
  Real push_speed;  // [m/s] at most, out of an overlap
};

inline Stiffness stiffness(double h, double omega, double damping, double sag, double most_passes,
                           double fades, double push_speed) {
  const double share = h * omega / 0.9;
  return {Real(h),     Real(omega),       Real(damping),
          Real(sag),   Real(most_passes), Real(share < 1 ? share * share : 1),
          Real(fades), Real(push_speed)};
}

// Of contacts whose load is x: whole ones.
RTSIM_HD inline std::int32_t passes_of(const Stiffness& law, Real x) {
  return std::int32_t(std::ceil(max(min(x * law.passes, law.most_passes), Real(1))));
}

// Of late; what is pressed at a point of no thickness would stay infinite.
constexpr Real most_peak_load = Real(1e8);

// The most of any lane.
template <int D>
RTSIM_HD void find_most_load(ContactBlock<D>& b) {
  b.most_load = 0;
  for (const Real x : b.load) b.most_load = max(b.most_load, x);
}

// What a contact gives by, in the effective mass: also of one that hardly acts.
template <class T>
RTSIM_HD T softness(T impulse_scale) {
  return impulse_scale / max(1 - impulse_scale, T(1e-6));
}

// By how much omega^2 grows for a load.
struct ByPasses {
  Real most;
  template <class T>
  RTSIM_HD T operator()(const T& load) const {
    return root(min(max(load, T(Real(1))), T(most)));
  }
};

// Of lanes with their effective masses and the impulses of the last substep.
template <int D, class T, class Growth>
RTSIM_HD void stiffen(const Stiffness& law, const Growth& growth, const Row4* solver_bodies,
                      ContactBlock<D>& b, Index l) {
  const T zero(Real(0)), one(Real(1)), h(law.h);
  const ContactPair<D, T> pair(solver_bodies, b, l);
  T pressure = zero, mass = zero, half = zero;
  for (int k = 0; k < b.points; ++k) {
    const auto& point = b.point[k];
    const T deep_i = dot(lane<T>(point.arm_i, l), pair.normal);
    const T deep_j = dot(lane<T>(point.arm_j, l), pair.normal);
    const T of_i = max(deep_i, zero - deep_i), of_j = max(deep_j, zero - deep_j);
    const T thinner = select_less(zero, pair.j.inverse_mass, min(of_i, of_j), of_i);
    const T here = select_less(lane<T>(point.separation, l), T(nowhere), one, zero);
    pressure = pressure + lane<T>(point.impulse, l);
    mass = mass + here * lane<T>(point.normal_mass, l), half = max(half, here * thinner);
  }
  const T allowed = h * mass * half * T(law.sag * law.omega * law.omega);
  const T bears = zero - lane<T>(b.borne, l);  // as of the last step, where that is known
  const T load =
      select_less(zero, bears, min(pressure, bears), pressure) / max(allowed, T(Real(1e-30)));
  const T rigid = select_less(zero, pair.j.inverse_mass, T(law.omega), T(2 * law.omega));
  const T omega = rigid * root(growth(load)), a = T(2 * law.damping) + h * omega;
  set_lane(b.bias_rate, l, omega / a);
  set_lane(b.impulse_scale, l, one / (one + h * omega * a));
  set_lane(b.load, l, load);
}

}  // namespace rtsim::rigid
