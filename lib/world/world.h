#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/grid.h"
#include "world/material.h"
#include "world/table.h"

namespace rtsim {

enum class Kind { particles, mesh, grid, height_field, bodies, boundary };
const char* to_string(Kind);

class Shape;  // lib/shapes
struct MotionSpec;
class AnimatedShape;
struct BodySet;  // lib/bodies
class World;
namespace region {
struct HalfSpaces;  // kernels/region
}
struct ImpulseResponse;  // lib/deformables
using RespondToImpulses = std::function<void(World&, const ImpulseResponse&)>;

// A thing the scene names. Its rows are the table of the same name, if it has any.
struct Object {
  std::string name;
  Kind kind;
  double spacing = 0;   // [m] of particles and grids
  bool moving = false;  // bodies, meshes, a boundary with a motion or a deformation
  std::shared_ptr<const Shape> shape = {};                // of a boundary, in its own frame
  std::shared_ptr<const MotionSpec> motion = {};          // of one that moves
  std::shared_ptr<const AnimatedShape> deformation = {};  // of one that deforms, besides
  std::optional<GridShape> grid = {};                     // of a grid or a height field
  Index sheet[2] = {0, 0};  // of a mesh that is a rectangle: its points along u and v
  std::shared_ptr<const BodySet> bodies = {};  // what bodies are made of
  std::optional<Material> material = {};       // of a boundary
  double row_mass = 0;  // [kg] of particles, once the stage that moves them said so
  bool hollow = false;  // particles near its surface stand for all of it: likewise
};

// Where rows of particles are taken out at a time [s], for those who do not have rows everywhere:
// within half-spaces or, if `outside`, beyond one of them.
struct Sink {
  std::function<void(double time, region::HalfSpaces&)> where;
  bool outside = false;
};

// Everything that changes in a run, and nothing else. Checkpoint, resume, hash and the watch for
// NaN each walk the tables once, so a stage keeps only its parameters and scratch it can rebuild.
class World {
 public:
  World(Exec ex, int dim) : exec(std::move(ex)), dim(dim) {}

  const Exec exec;
  const int dim;                               // 2 or 3
  std::array<double, 3> gravity{0, -9.81, 0};  // [m/s^2]
  std::uint64_t seed = 0;
  std::uint32_t next_id = 0;  // the next row made anywhere gets this id
  // The first of so many consecutive ids that no other row has or will have.
  std::uint32_t take_ids(Index rows);

  std::vector<Object> objects;
  const Object& object(std::string_view name) const;  // throws Error{bad_input}

  // Of meshes whose solvers know what else moves where points are pushed: made with the stages.
  std::map<std::string, RespondToImpulses> responses;
  // Of particles: made with the stages.
  std::map<std::string, std::vector<Sink>> sinks;

  Table& add_table(std::string name, Index rows);
  Table& table(std::string_view name);  // throws Error{bad_input}
  bool has_table(std::string_view name) const;
  const std::vector<std::unique_ptr<Table>>& tables() const { return tables_; }

  template <int D>
  Vec<D> gravity_vector() const {
    return narrow<D>(Vec3d{{gravity[0], gravity[1], gravity[2]}});
  }

  // XXH3 over all state columns in table order, with their names and types: equal hashes, equal
  // worlds.
  std::uint64_t state_hash() const;

 private:
  std::vector<std::unique_ptr<Table>> tables_;
};

// The samples of boundary `boundary` made for the particles `fluid`.
std::string sample_table(std::string_view boundary, std::string_view fluid);

// What `fluid` did to bodies, or to a boundary, in its last step: lib/bodies/fluid_push.h.
std::string force_table(std::string_view boundary, std::string_view fluid);

// Where a moving boundary is at the end of the step, for stages that need more than its samples:
// the column `pose` holds the three rows of its rotation, its translation [m], its velocity [m/s]
// at the centre, its angular velocity [rad/s] and the centre [m].
std::string pose_table(std::string_view boundary);
constexpr Index pose_rows = 7;

// Where the corners of a boundary that deforms are at the end of the step: the columns `position`
// [m] and `velocity` [m/s], its motion included, and `own` [m], where they are before they are
// carried along. Its triangles: the column `corner`, rows of that table. Both have other rows, and
// another revision, where another surface is carried on.
std::string corner_table(std::string_view boundary);
std::string face_table(std::string_view boundary);

// Throws Error{bad_input} for a boundary that deforms: `who` knows of rigid ones alone.
void refuse_deforming(const Object& boundary, std::string_view who);

}  // namespace rtsim
