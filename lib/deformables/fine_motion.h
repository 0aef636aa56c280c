#pragma once
#include <vector>

#include "exec/buffer.h"
#include "pbd/fine_motion.h"
#include "world/world.h"

namespace rtsim {

// All free points of a mesh, where some weigh so much more than others that a substep's difference
// of places does not tell what pulls at them: weights on a rope, or what is tied to a body. (Their
// neighbours go with them: what they lose by rounding goes to nobody.) See pbd/fine_motion.h.
class FineMotion {
 public:
  // While stages are made, when points weigh what is their own.
  FineMotion(World&, const std::string& mesh);

  // Where inverse masses are others than before.
  void find(const std::vector<Real>& inverse_mass);
  // Of no rows where the mesh is even.
  pbd::Fine span() { return {rows_.span(), place_.span(), velocity_.span(), moved_.span()}; }

 private:
  bool uneven(const std::vector<Real>& inverse_mass) const;

  std::vector<Real> mass_;  // their own [kg]
  Buffer<Index> rows_;
  Buffer<Vec3d> place_, velocity_;  // within a step
  Buffer<Row4> moved_;
};

}  // namespace rtsim
