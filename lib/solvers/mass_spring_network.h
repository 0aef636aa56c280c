#pragma once
#include "mass_spring/network.h"
#include "solvers/mass_spring.h"
#include "world/world.h"

namespace rtsim {

// The springs of a mesh in memory, at rest where its points were at the start, without the torn.
class SpringBuffers {
 public:
  // Throws Error{bad_input} for relative springs without a length.
  SpringBuffers(const MassSpringParams&, World&, const std::vector<Vec<3>>& rest);

  mass_spring::Network network() const { return {first_.span(), slots_.span(), damping_}; }
  Index springs() const { return springs_; }
  // Points, filled up to whole slices.
  std::size_t rows() const { return (first_.size() - 1) * std::size_t(lane_count); }

 private:
  Buffer<Index> first_;
  Buffer<mass_spring::Slot> slots_;
  Index springs_ = 0;
  Real damping_;
};

}  // namespace rtsim
