#pragma once
#include "deformables/groups.h"
#include "deformables/plates/plates.h"
#include "mass_spring/implicit.h"
#include "solvers/mass_spring/mass_spring.h"
#include "world/world.h"

namespace rtsim {

// The springs of a mesh in memory, at rest where its points were at the start, without the torn.
class SpringBuffers {
 public:
  // Throws Error{bad_input} for relative springs without a length.
  SpringBuffers(const MassSpringParams&, World&, const std::vector<Vec<3>>& rest);

  // A step of length h [s] is to be solved for: what it needs besides the springs.
  block_cg::Isotropic bending(double h) const { return isotropic_.view(plates_.scale(h)); }
  PlateBuffers& plates() { return plates_; }
  const PlateBuffers& plates() const { return plates_; }
  // Of the rows of bending's matrix, the sums of sizes [N/m].
  Span<const Real> bending_bounds() const { return bounds_.span(); }
  block_cg::Levels levels(Span<const Row4> filter) { return groups_.view(filter); }
  void invert_levels(const Exec&, const mass_spring::System&, Span<const Row4> filter);

  mass_spring::Network network() const { return {first_.span(), slots_.span(), damping_}; }
  Index springs() const { return springs_; }
  // Points, filled up to whole slices.
  std::size_t rows() const { return (first_.size() - 1) * std::size_t(lane_count); }

 private:
  void bend(const MassSpringParams&, World&, const std::vector<Vec<3>>& rest);

  Buffer<Index> first_;
  Buffer<mass_spring::Slot> slots_;
  Index springs_ = 0;
  Real damping_;
  PlateBuffers plates_;
  IsotropicBuffers isotropic_;
  Buffer<Real> bounds_;
  Groups groups_;
  Buffer<std::uint8_t> apart_, bending_apart_;
};

}  // namespace rtsim
