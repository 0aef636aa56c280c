#pragma once
#include <string>

#include "deformables/mesh_samples.h"
#include "world/world.h"

namespace rtsim {

// A mesh as a fluid foresees it from substep to substep: its points are pushed by what the fluid
// gave to their samples in the substep, by gravity, and by what else acted on them in both of the
// last two steps, each by its own mass, and take the samples along. So a light mesh answers within
// a substep, not a step later:
//   v += h (g + a + F / m),  x += h v
class CarriedMesh {
 public:
  CarriedMesh(World&, const std::string& mesh, const std::string& fluid);

  const std::string& mesh() const { return mesh_; }
  // At the start of a step of dt, in substeps of h; samples are where the mesh is, and those from
  // `first` on, among those of all tables, one behind the other.
  void begin(World&, double dt, double h, Index first);
  // `force`, on the packed rows of all samples, acts for h. Then the samples go to where they are
  // `ahead` seconds before the step's end, and go on from there with their velocities.
  void push(World&, Span<const Index> places, Span<const Row4> force);
  void carry(World&, double ahead);

 private:
  skin::PointMobility mobility(World&);

  std::string mesh_, fluid_;
  Index first_ = 0;
  double h_ = 0, ahead_ = 0;  // [s]
  MeshSamples samples_;
  Buffer<Vec<3>> velocity_, other_;
};

}  // namespace rtsim
