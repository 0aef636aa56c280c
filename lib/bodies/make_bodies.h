#pragma once
#include "bodies/add_bodies.h"
#include "bodies/body_spec.h"

namespace rtsim {

// A shape in its own frame, and where that stands.
struct PlacedBody {
  BodyShape shape;
  Vec3d position;                     // [m] of the centre of mass
  std::array<double, 4> orientation;  // (x, y, z, w)
  double added = 0;                   // [m^D] that it touches with beyond what it is
};

// Throws Error{bad_input} for what make_solid refuses and for bodies that are thinner than floats
// can hold.
PlacedBody place_body(const BodySpec&, int dim);

struct MadeBodies {
  BodySet set;
  std::vector<BodyStart> bodies;
  std::vector<std::string> notes;  // of bodies that touch with something else than they are
};

// Adds a body with its copies. Random ones depend on the seed, and on a number of its own for each
// call. `density` [kg/m^D] is that of bodies that say nothing.
void make_bodies(const BodySpec&, std::optional<double> density, int dim, std::uint64_t seed,
                 std::uint64_t call, MadeBodies&);

}  // namespace rtsim
