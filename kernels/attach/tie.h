#pragma once
#include "exec/exec.h"
#include "rigid/body.h"

// Points of a mesh that are part of a rigid body. While the mesh's solver runs, a tied point weighs
// its own mass m and a share s of the body, and starts from where the body has it, with the
// velocity v0 that it has there. What the mesh gives to it, gravity apart, s (v - v0 - dt g), is
// the body's: the sum of momenta is what the solver keeps. The point's own m (v - v0) stays with
// it, and what of that the body does not follow is handed over one step later, as `lost`.
namespace rtsim::attach {

// A row for each tied point.
struct Tied {
  Span<const Index> rows;      // of the mesh
  Span<const Vec<3>> local;    // [m] in the body's frame
  Span<const Real> share;      // s [kg]
  Span<Vec<3>> arm;            // [m] from the body's centre of mass, at the start of the step
  Span<Vec<3>> velocity;       // v0 [m/s]
  Span<VecT<double, 3>> lost;  // [N s]
  Span<VecT<double, 3>> pull;  // [N] on the body
  Span<Real> own;              // m [kg], 0 of points that something else holds
};

// The columns of the mesh.
struct TiedMesh {
  Span<Vec<3>> position, velocity;
  Span<Real> mass, inverse_mass;
};

// Before the solver: points go where the body has them, and take their shares.
void take(const Exec&, const rigid::Bodies<3>&, Index body, const Tied&, const TiedMesh&);

struct Load {
  Vec3d force, torque;  // [N], [N m] about the body's centre of mass
};
// Behind it, a step dt later: points weigh what they did. Returns what the body is to get.
Load give(const Exec&, Real dt, const Vec<3>& gravity, const Tied&, const TiedMesh&);

}  // namespace rtsim::attach
