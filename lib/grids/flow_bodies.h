#pragma once
#include <vector>

#include "grids/body_motions.h"
#include "grids/flow_meshes.h"
#include "mac/body_terms.h"
#include "mac/wall_force.h"

namespace rtsim {

// How bodies yield while the pressure of a flow on a staggered grid is looked for, and what it did
// to them. Points of meshes are numbered behind them.
class FlowBodies {
 public:
  FlowBodies(const Exec&, const GridShape&, double rest_density);

  // Where the walls are now. `gravity`: what of it the pressure leaves out, so that bodies have to
  // be lifted for it.
  void find_terms(const Exec&, const mac::Domain&, const mac::Walls&, const mac::SolidNodes&,
                  const BodyMotions&, const Solids&, const PointTerms&, const Vec3d& gravity);
  poisson::BodyTerms terms() const;
  // To the divergence of a flow, times `factor`, what bodies move into other solids as they go now.
  void add_film(const Exec&, const BodyMotions&, double factor, Span<Real> divergence) const;

  // By `pushes` (Poisson::pushes) for a time h, and friction on each solid.
  void push(BodyMotions&, const Solids&, double h, const std::vector<poisson::Screw>& pushes,
            const std::vector<mac::Wrench>& friction) const;

 private:
  double spacing_, density_;
  int dims_ = 3;
  Index first_one_sided_ = 0;
  Buffer<poisson::BodyTerm> terms_;
  Buffer<Index> first_of_cell_, of_body_, first_of_body_, body_of_;
  Buffer<poisson::InverseMassMatrix> mobility_;
  Buffer<poisson::Screw> lift_there_;
  std::vector<poisson::Screw> lift_;  // of each, by the fluid's weight, as sum_c p_c k_c
  std::vector<poisson::Screw> film_;  // of each body, for each cell beside it
};

}  // namespace rtsim
