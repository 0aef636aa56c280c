#pragma once
#include "base/vec.h"
#include "contact/rigid_matrix.h"
#include "exec/exec.h"
#include "exec/span.h"

// Impulses of a solid on the points that it moves, whose reactions act on the solid.
namespace rtsim::contact {

struct ImpulseSum {
  Vec3d impulse;  // [N s]
  Vec3d moment;   // about the origin [N m s]
  bool none() const { return impulse == Vec3d{} && moment == Vec3d{}; }
};

// Of points at x with inverse masses w, whose velocities a solid changed from `earlier` to v: sums
// of m (v - earlier) and x x m (v - earlier).
ImpulseSum impulse_sum(const Exec&, Span<const Vec<3>> x, Span<const Real> w,
                       Span<const Vec<3>> earlier, Span<const Vec<3>> v);
// `by` of those points becomes `mark`.
void mark_pushed(const Exec&, Span<const Real> w, Span<const Vec<3>> earlier, Span<const Vec<3>> v,
                 Index mark, Span<Index> by);

// The work of a surface that carries points from x to `carried` in a time h, by the impulses that
// it gave them [J].
double work_of_surface(const Exec&, Span<const Real> w, Span<const Vec<3>> earlier,
                       Span<const Vec<3>> v, Span<const Vec<3>> x, Span<const Vec<3>> carried,
                       Real h);

// The sum of the impulses of the points in contact with solid number `solid`.
struct PointContact;
ImpulseSum impulse_sum(const Exec&, Span<const Vec<3>> before, Span<const PointContact>,
                       Index solid, Span<const Vec<3>> impulse);

// The inertia of those points as if they were all stuck to the solid, and the change of their
// energy with a share s of the impulses, v = earlier + s (v - earlier): s work + s^2 energy [J].
struct PushedMass {
  RigidMatrix resists;
  double work = 0, energy = 0;
};
PushedMass pushed_mass(const Exec&, Span<const Vec<3>> x, Span<const Real> w,
                       Span<const Vec<3>> earlier, Span<const Vec<3>> v, const Vec3d& centre);

// now = earlier + share (now - earlier).
void take_share(const Exec&, Real share, Span<const Vec<3>> earlier, Span<Vec<3>> now);

}  // namespace rtsim::contact
