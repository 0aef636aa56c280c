#pragma once
#include "contact/boundary_contact.h"
#include "contact/spread.h"

// Launchers for triangles that meet boundaries between their corners, and edges that do, which are
// triangles with a corner twice.
namespace rtsim::contact {

struct Face {
  std::int32_t p[3];
};

// Moves faces out by their deepest places at the end of a substep in which the solid moved from one
// pose to another, or, of those that move by more than half the thickness, by the place that
// touches first: with weights b of the corners there,
//   n . sum(b_k x_k) >= keep,  and friction against their sliding over the solid.
// keep is the thickness; of what started the substep nearer no more than that, or than the recovery
// leads it out to.
// x += d, v += d / h. `slots` are those of `faces`; `moves` is scratch for each of them, `count`
// for each point.
void press(const Exec&, const Solid&, const Rules&, const Pose& begin, const Pose& end,
           Span<const Face> faces, const Slots&, const Points&, Span<Vec<4>> moves,
           Span<Real> count);

// Last of all, what is left of faces that enter the solid: ways are shortened, as those of features
// that meet are (self_contact.h). `room`: the level that a face may not come below, and how far it
// is from there at the start [m]. A level that is not positive stands for a face that starts
// inside, which is let through.
struct FaceRooms {
  Span<const Face> faces;
  Slots slots;
  Span<const Vec<2>> room;
};
void room_of(const Exec&, const Solid&, Real thickness, const Pose& begin, Span<const Face> faces,
             Span<const Vec<3>> from, Span<Vec<2>> room);
// Marks the corners of faces that go below their level on their ways, but for those whose corners
// are all marked already, and returns how many there are.
Index mark_entering(const Exec&, const Solid&, Real thickness, const Pose& begin, const Pose& end,
                    const FaceRooms&, Span<const Vec<3>> from, Span<const Vec<3>> x,
                    Span<std::uint32_t> enters, Span<std::uint32_t> marked, std::uint32_t bit);
// Marked points go no further, in the solid's frame, than the least room of their faces: as
// distances are 1-Lipschitz, a face whose corners are all marked stays above its level.
void shorten(const Exec&, const Pose& begin, const Pose& end, const FaceRooms&,
             Span<const std::uint32_t> marked, std::uint32_t bit, const Points&);

}  // namespace rtsim::contact
