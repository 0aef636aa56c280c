#pragma once
#include "block_cg/block_matrix.h"
#include "cloth_implicit/hold.h"
#include "contact/push.h"

// Points that are held by a body that moves: the directions h in which each is held go along with
// it, dv = h h^T (V + w x r) with the arm r of the point, and what acts on the point along them
// acts on the body.
namespace rtsim::cloth {

struct Carried {
  Span<const Hold> holds;
  Span<const contact::Touch> touches;
  Span<const Vec<3>> position;
  Index solid;   // of the touches: the body
  Vec3d centre;  // [m] of its mass
};

// Sums of what r has along held directions, and of its moments about the centre.
contact::Push held_part(const Exec&, const Carried&, Span<const Row4> r);
// Of the friction of points that slide.
contact::Push friction_of(const Exec&, const Carried&);
// z += what goes along with these velocities of the body.
void carry(const Exec&, const Carried&, const Vec3d& linear, const Vec3d& angular, Span<Row4> z);
// The surface moves by so much faster.
void carry_surface(const Exec&, const Carried&, const Vec3d& linear, const Vec3d& angular,
                   Span<Hold>);

// What the body carries at the least: the diagonal blocks of what it holds.
contact::RigidMatrix carried_blocks(const Exec&, const Carried&, const block_cg::BlockMatrix&);

}  // namespace rtsim::cloth
