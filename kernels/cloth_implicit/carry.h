#pragma once
#include "block_cg/block_matrix.h"
#include "cloth_implicit/contact_constraint.h"
#include "contact/impulse_sum.h"

// Points in contact with a body that moves: along its constrained directions h a point moves with
// the body, dv = h h^T (V + w x r) with the arm r of the point, and forces on the point along h act
// on the body.
namespace rtsim::cloth {

struct Carried {
  Span<const ContactConstraint> constraints;
  Span<const contact::PointContact> contacts;
  Span<const Vec<3>> position;
  Index solid;   // of the contacts: the body
  Vec3d centre;  // [m] of its mass
};

// The sum of r along constrained directions, and its moment about the centre.
contact::ImpulseSum held_part(const Exec&, const Carried&, Span<const Row4> r);
// The same of the friction of points that slide.
contact::ImpulseSum friction_of(const Exec&, const Carried&);
// z += the motion of constrained points with these velocities of the body.
void carry(const Exec&, const Carried&, const Vec3d& linear, const Vec3d& angular, Span<Row4> z);
// Adds the velocities to that of the body's surface.
void carry_surface(const Exec&, const Carried&, const Vec3d& linear, const Vec3d& angular,
                   Span<ContactConstraint>);

// The inertia of the points that the body carries: the diagonal blocks of the constrained ones.
contact::RigidMatrix carried_blocks(const Exec&, const Carried&, const block_cg::BlockMatrix&);

}  // namespace rtsim::cloth
