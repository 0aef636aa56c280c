#pragma once
#include "particles/yielding_solid.h"
#include "rigid/contacts/response.h"

namespace rtsim {

template <int D>
class YieldingBodies final : public YieldingSolid<D> {
 public:
  YieldingBodies(World&, const std::string& bodies, const std::string& fluid);

  void load(World&, double dt) override;
  void aim(World&, SphFluid<D>&, double h, double lead) override;
  void apply_impulses(World&, SphFluid<D>&, double h) override;
  void find_mobility_bound(World&, const SphFluid<D>&, Span<Real> bound) override;
  void move(World&, SphFluid<D>&, double h, double ahead) override;

 private:
  rigid::Bodies<D> predicted(World&);
  rigid::BodyMobility<D> mobility(World&, const SphFluid<D>&);

  Buffer<Index> starts_, blocks_, body_blocks_;
  Buffer<Vec<D>> position_, velocity_, other_;
  Buffer<rigid::Angular<D>> angular_, other_angular_;
  Buffer<rigid::Twist<D, double>> sums_;
  Buffer<rigid::Twist<D, Real>> gained_;
};

}  // namespace rtsim
