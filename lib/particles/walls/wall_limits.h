#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "exec/buffer.h"
#include "exec/span.h"
#include "particles/sph_params.h"

namespace rtsim {

// What a lattice of fluid gives to a sample a spacing below its first layer, over rest density.
template <int D, class Kernel>
double flat_limit(const Kernel& kernel, double spacing) {
  const int reach = int(std::ceil(double(kernel.support) / spacing));
  double sum = 0;
  for (int y = 1; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x)
      for (int z = D == 3 ? -reach : 0; z <= (D == 3 ? reach : 0); ++z)
        sum += double(kernel.shape(Real((x * x + y * y + z * z) * spacing * spacing)));
  return double(kernel.scale) * sum * std::pow(spacing, D);
}

// How much fluid each sample of a fluid's walls may see, where its boundary has such limits: what a
// flat wall would, `flat`, times how open its place is (shapes/openness.h). Zero for others. See
// pressure/samples.h.
class WallLimits {
 public:
  WallLimits(World&, const SphParams&, double flat);

  bool empty() const { return !any_; }
  std::size_t count() const { return limits_.size(); }
  // In the order of the packed rows.
  Span<const Real> gather(World&, Span<const Index> order);

 private:
  struct Source {
    std::string table;
    bool limited;
    std::uint64_t revision = 0;
  };
  void read(World&);

  Real flat_;
  bool any_ = false;
  std::vector<Source> sources_;
  Buffer<Real> limits_;  // of all tables, one behind the other
  Buffer<Real> packed_;
};

// Adds what samples with limits take: `own` bytes each, and `near` for each row of a lattice in
// front of a flat wall that it sees.
void count_limits(const SphParams&, int dim, double own, double near, BoundaryMemory&);

// The parameter "pressure_boundaries"; `all` says what it does to walls.
void describe_pressure_boundaries(Describe&, SphParams&, const char* all);

}  // namespace rtsim
