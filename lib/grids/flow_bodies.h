#pragma once
#include <vector>

#include "grids/body_motions.h"
#include "mac/body_terms.h"
#include "mac/wall_force.h"

namespace rtsim {

// How bodies yield while the pressure of a flow on a staggered grid is looked for, and what it did
// to them.
class FlowBodies {
 public:
  FlowBodies(const Exec&, const GridShape&, double rest_density);

  // Where the walls are now.
  void find_terms(const Exec&, const mac::Domain&, const mac::Walls&, const mac::SolidNodes&,
                  const BodyMotions&, std::size_t solids);
  poisson::BodyTerms terms() const;
  // To the divergence of a flow, times `factor`, what bodies move into other solids as they go now.
  void add_film(const Exec&, const BodyMotions&, double factor, Span<Real> divergence) const;

  // By `pushes` (Poisson::pushes) for a time h, and friction on each solid.
  void push(BodyMotions&, const Solids&, double h, const std::vector<poisson::Screw>& pushes,
            const std::vector<mac::Wrench>& friction) const;

 private:
  double spacing_, density_;
  int dims_ = 3;
  Buffer<poisson::BodyTerm> terms_;
  Buffer<Index> first_of_cell_, of_body_, first_of_body_, body_of_;
  Buffer<poisson::BodyMobility> mobility_;
  std::vector<poisson::Screw> film_;  // of each body, for each cell beside it
};

}  // namespace rtsim
