#pragma once
#include "mass_spring/network.h"
#include "solvers/mass_spring.h"
#include "world/world.h"

namespace rtsim {

// The springs of a mesh in memory, at rest as the mesh is now.
class SpringBuffers {
 public:
  // Throws Error{bad_input} for relative springs without a length.
  SpringBuffers(const MassSpringParams&, World&);

  mass_spring::Network network() const { return {first_.span(), halves_.span(), damping_}; }
  Index springs() const { return Index(halves_.size() / 2); }

 private:
  Buffer<Index> first_;
  Buffer<mass_spring::Half> halves_;
  Real damping_;
};

}  // namespace rtsim
