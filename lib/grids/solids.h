#pragma once
#include <memory>
#include <string>
#include <vector>

#include "grid/solids.h"
#include "world/world.h"

namespace rtsim {

grid::GridView grid_view(const GridShape&);

// Of a boundary. Throws Error{bad_input} for one without an inside.
const Shape& solid_shape(const Object& boundary);
// The same of an open mesh, whose holes are closed (shapes/mended_solid.h); `what` says how.
std::unique_ptr<Shape> mended_shape(const Object& boundary, std::string& what);
// Cells of a lattice's spacing evenly around the surface of a boundary in its own frame, a band
// wide. Throws Error{bad_input} for one that is infinite.
GridShape grid_around(const Object& boundary, const GridShape& lattice, double band);

// The boundaries that a grid meets, as the signed distance of the nearest one at the centres of the
// cells of `lattice` (cells, faces or nodes of the grid). Shapes are read once, while stages are
// made; those that move are kept as maps in their own frames, and read anew by update().
class Solids {
 public:
  // `band` [m]: distances are exact up to there. The holes of open meshes are closed. Throws
  // Error{bad_input} for boundaries without an inside.
  Solids(World&, const std::vector<std::string>& boundaries, const GridShape& lattice, double band);

  bool empty() const { return names_.empty(); }
  bool moving() const { return !maps_.empty(); }

  // After the boundaries moved: distances and poses as they are at the end of the step, or so many
  // seconds before it, by the velocities there.
  void update(World&, double before = 0);

  Span<const Real> distance() const { return distance_.span(); }        // [m], < 0 inside
  Span<const std::uint8_t> nearest() const { return nearest_.span(); }  // into poses()
  Span<const boundary::Pose> poses() const { return poses_.span(); }    // of all boundaries
  const std::vector<std::string>& names() const { return names_; }
  // What was done to meshes with holes, or nothing.
  const std::string& mended() const { return mended_; }

 private:
  struct Map {
    std::uint8_t which;
    GridShape grid;
    Buffer<Real> distance;
  };

  Exec ex_;
  std::vector<std::string> names_;
  std::string mended_;
  GridShape lattice_;
  std::vector<Map> maps_;  // of those that move
  Buffer<Real> still_, distance_;
  Buffer<std::uint8_t> still_nearest_, nearest_;
  Buffer<boundary::Pose> poses_;
};

}  // namespace rtsim
