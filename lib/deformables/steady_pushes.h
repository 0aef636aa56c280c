#pragma once
#include <string>
#include <vector>

#include "world/world.h"

namespace rtsim {

// What fluids push the points of a mesh with throughout a step, and not at its start: of those that
// offer it so (lib/bodies/fluid_push.h). A push that holds a heavy liquid up is many times what
// moves a light sheet in a step. Given at the start it is a velocity, whose energy J^2 / 2m comes
// from nowhere, and what holds the mesh together turns it round in the substeps; together with that
// in each of them it is none.
class SteadyPushes {
 public:
  // While the mesh's solver is made, behind the stages `couple`.
  SteadyPushes(World&, std::string mesh);

  bool any() const { return !tables_.empty(); }
  // At the start of a substep of h.
  void act(World&, double h) const;

 private:
  std::string mesh_;
  std::vector<std::string> tables_;
};

}  // namespace rtsim
