#pragma once
#include "contact/boundary_contact.h"
#include "contact/spread.h"

// Launchers for triangles that meet boundaries between their corners, and edges that do, which are
// triangles with a corner twice.
namespace rtsim::contact {

struct Face {
  std::int32_t p[3];
};

// Moves faces out by their deepest places, as they are at the end of a substep in which the solid
// moved from one pose to another: with weights b of the corners there,
//   n . sum(b_k x_k) >= keep,  and friction against their sliding over the solid.
// keep is the thickness; of what started the substep nearer no more than that and the recovery.
// x += d, v += d / h. `slots` are those of `faces`; `moves` is scratch for each of them, `count`
// for each point.
void press(const Exec&, const Solid&, const Rules&, const Pose& begin, const Pose& end,
           Span<const Face> faces, const Slots&, const Points&, Span<Vec<4>> moves,
           Span<Real> count);

}  // namespace rtsim::contact
