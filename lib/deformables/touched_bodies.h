#pragma once
#include <deque>
#include <string>
#include <vector>

#include "contact/push.h"
#include "deformables/touched_solid.h"
#include "stage/stage.h"

namespace rtsim {

// The rigid bodies of one object as what a mesh touches, one solid for each shape. In a step they
// go from where they were to be at the end of the last, which the state table
// `<bodies>.seen@<mesh>` keeps, to where their velocities take them. What the mesh's contact takes
// from them stands in `<bodies>.forces@<mesh>`, from where the stage `cloth_rigid` passes it on.
class TouchedBodies {
 public:
  // While stages are made.
  TouchedBodies(World&, const std::string& bodies, const std::string& mesh);

  Index size() const { return Index(shape_.size()); }
  const TouchedSolid& solid(Index row) const {
    return solids_[std::size_t(shape_[std::size_t(row)])];
  }

  // Once a step, or again from its beginning.
  void begin(World&, const Step&);
  // After this part of the step.
  Pose pose(Index row, double part) const;

  // What the body gave to points.
  void give(Index row, const contact::Push&);
  void write(World&) const;

 private:
  struct Place {
    Vec3d position;                     // [m] of the centre of mass
    std::array<double, 4> orientation;  // the unit quaternion (x, y, z, w)
  };
  static std::vector<Place> read(Table&);
  void move_on(Table&, double dt);

  std::string bodies_, seen_, forces_;
  std::vector<std::int32_t> shape_;  // of each body
  std::deque<TouchedSolid> solids_;  // of each shape
  std::vector<Place> from_, to_;
  std::vector<Vec3d> centre_;  // where they are at the start of the step [m]
  std::vector<contact::Push> given_;
  std::int64_t step_ = -1;
  double dt_ = 0;  // [s]
};

}  // namespace rtsim
