#pragma once
#include <tuple>
#include <utility>

#include "deformables/plates/plate_stencils.h"
#include "deformables/position_based_params.h"

namespace rtsim {

// Bending of a mesh of triangles, by one of the models; none where it bends freely.
class Bends {
 public:
  Bends(const PositionBasedParams&, const Resistances&, World&, const std::vector<Vec3d>& rest);

  void forget_multipliers();
  void project(const pbd::Softness&, Span<Row4> place, const pbd::Told&);
  void find_held(const std::vector<Real>& inverse_mass);
  // Of those that are isometric.
  pbd::BentSums sums(Span<const Vec<3>> position, Span<const Real> inverse_mass) const;
  double corners() const { return corners_; }  // of all together

 private:
  template <class Law>
  using Set = std::optional<ConstraintSet<Law>>;

  template <class Visit>
  void each(const Visit& visit) {
    std::apply([&](auto&... set) { (visit(set), ...); }, sets_);
  }
  template <class Law>
  void set(const ConstraintList<Law>& list);

  Exec ex_;
  std::size_t points_;
  ProjectionOrder order_;
  bool multipliers_;
  double corners_ = 0;
#define RTSIM_PLATE_SETS(n) Set<pbd::FlatRestPlate<n>>, Set<pbd::CurvedRestPlate<n>>,
  std::tuple<RTSIM_PLATE_SIZES(RTSIM_PLATE_SETS) Set<pbd::NarrowDihedral>, Set<pbd::WideDihedral>>
      sets_;
#undef RTSIM_PLATE_SETS
};

}  // namespace rtsim
