#pragma once
#include "deformables/mesh_samples.h"
#include "particles/yielding_solid.h"

namespace rtsim {

// Points of a mesh yield each by its own mass. What holds them together acts as it did in both of
// the last two steps, and not on what the pressure changes within the step.
class YieldingMesh final : public YieldingSolid<3> {
 public:
  YieldingMesh(World&, const std::string& mesh, const std::string& fluid);

  void load(World&, double dt) override;
  void aim(World&, SphFluid<3>&, double h, double lead) override;
  void apply_impulses(World&, SphFluid<3>&, double h) override;
  void find_mobility_bound(World&, const SphFluid<3>&, Span<Real> bound) override;
  void move(World&, SphFluid<3>&, double h, double ahead) override;

 private:
  skin::PointMobility mobility(World&, const SphFluid<3>&);

  MeshSamples carried_;
  Buffer<Vec<3>> velocity_, other_, gained_;
  Buffer<Real> pulled_;
};

}  // namespace rtsim
