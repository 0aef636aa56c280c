#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bodies/body_spec.h"
#include "bodies/shapes/body_shape.h"
#include "world/world.h"

namespace rtsim {

// One body at the start.
struct BodyStart {
  int shape;                          // of the set
  double mass;                        // [kg]
  Vec3d position;                     // [m] of the centre of mass
  std::array<double, 4> orientation;  // the unit quaternion (x, y, z, w)
  Vec3d velocity;                     // [m/s]
  Vec3d angular_velocity;             // [rad/s], in the world's axes
};

// Adds the table <name>, a row for each body, with the state columns `position` [m], `orientation`
// (kernels/rigid/body.h), `velocity` [m/s], `angular_velocity` [rad/s], `mass` [kg], `inertia`
// [kg m^2], `shape` (i32), `force` [N] and `torque` [N m] about the centre of mass, which couplers
// add to and the solver of the bodies takes and zeroes at the end of its step, and `id`.
void add_bodies(World&, const std::string& name, const BodySet&, const std::vector<BodyStart>&);

struct BodyCopy {
  Vec3d shift;                 // [m]
  std::array<double, 4> turn;  // the unit quaternion (x, y, z, w)
};

// `size` [m] is that of the body along the axes, as it stands.
std::vector<BodyCopy> copies_of(const BodySpec&, const Vec3d& size, int dim, std::uint64_t seed,
                                std::uint64_t call);

// First b, then a.
std::array<double, 4> product(const std::array<double, 4>& a, const std::array<double, 4>& b);

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
