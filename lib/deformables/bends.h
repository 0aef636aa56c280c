#pragma once
#include "deformables/position_based_params.h"

namespace rtsim {

// Hinges of a mesh of triangles, by one of the models; none where it bends freely.
class Bends {
 public:
  Bends(const PositionBasedParams&, const Resistances&, World&, const std::vector<Vec3d>& rest);

  void forget_multipliers();
  void project(const pbd::Softness&, Span<Row4> place);

 private:
  template <class Visit>
  void each(const Visit& visit) {
    if (flat_) visit(*flat_, pbd::FlatBend{});
    if (curved_) visit(*curved_, pbd::CurvedBend{});
    if (dihedral_) visit(*dihedral_, pbd::DihedralBend{});
  }
  std::optional<ConstraintSet<pbd::FlatBend>> flat_;
  std::optional<ConstraintSet<pbd::CurvedBend>> curved_;
  std::optional<ConstraintSet<pbd::DihedralBend>> dihedral_;
};

}  // namespace rtsim
