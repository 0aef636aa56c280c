#pragma once
#include <vector>

#include "grids/multigrid.h"
#include "poisson/body_terms.h"

namespace rtsim {

// The parts of a grid that no open face joins to where the pressure is 0: their pressure is known
// but for a constant.
class ClosedRegions {
 public:
  explicit ClosedRegions(const Exec& ex) : ex_(ex), runs_(ex), sums_(ex), means_(ex) {}

  // Bodies that yield join the regions that they part, or hold their pressure.
  void find(const LevelWeights&, const poisson::BodyTerms&);
  bool empty() const { return cells_.empty(); }

  // Takes from each region its mean; returns the largest.
  template <class T>
  double remove_means(Span<T> values);

 private:
  Exec ex_;
  std::vector<double> cells_;   // of each region
  std::vector<Index> regions_;  // of the runs
  Buffer<poisson::Run> runs_;
  Buffer<double> sums_, means_;
};

}  // namespace rtsim
