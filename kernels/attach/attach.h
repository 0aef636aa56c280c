#pragma once
#include "boundary/place_samples.h"

// Launchers for points of a mesh that a handle holds, or pulls. `rows` are those points.
namespace rtsim::attach {

using Pose = boundary::Pose;  // of the handle

// Where the points are in the handle's own frame: local = rotation^T (x - translation).
void grip(const Exec&, const Pose&, Span<const Index> rows, Span<const Vec<3>> position,
          Span<Vec<3>> local);

// One more, or one less, holds the points; those that nobody holds have their mass again.
void take(const Exec&, Span<const Index> rows, Span<std::uint32_t> holders);
void release(const Exec&, Span<const Index> rows, Span<const Real> mass,
             Span<std::uint32_t> holders, Span<Real> inverse_mass);

// Points that weigh nothing the solver could move, and the places where they are to be.
void hold(const Exec&, const Pose&, Span<const Index> rows, Span<const Vec<3>> local,
          Span<Vec<3>> target, Span<Real> inverse_mass);

// v += impulse / m of the free points. Returns the kinetic energy that this gave [J].
double push(const Exec&, const Vec<3>& impulse, Span<const Index> rows,
            Span<const Real> inverse_mass, Span<Vec<3>> velocity);

struct Spring {
  Real stiffness;  // k [N/m]
  Real damping;    // c [N s/m]
};

// A step of the damped spring from each point to its place, implicit in both: see pull.h. Returns
// the kinetic energy that this gave [J].
double pull(const Exec&, const Pose&, const Spring&, Real dt, Span<const Index> rows,
            Span<const Vec<3>> local, Span<const Vec<3>> position, Span<const Real> inverse_mass,
            Span<Vec<3>> velocity);

}  // namespace rtsim::attach
