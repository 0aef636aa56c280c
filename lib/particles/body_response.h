#pragma once
#include <memory>
#include <string>
#include <vector>

#include "particles/yielding_solid.h"

namespace rtsim {

// The bodies and meshes that stand in a fluid, as they yield within a step. Where the stage
// `couple` accepted that (bodies/fluid_push.h).
template <int D>
class BodyResponse {
 public:
  BodyResponse(World&, const std::string& fluid, const std::vector<std::string>& boundaries);

  // What acts in a step is to be given to solids at once by as much as one substep has of it.
  void offer(World&, int substeps) const;

  // At the start of a step of `dt`: solids as their tables have them, in samples that are about to
  // be packed as `stale` rows, or were as carried here before.
  void begin(World&, double dt, bool stale);

  // Wall rows move as solids will within the next h.
  void aim(World&, SphFluid<D>&, double h);
  // The forces on the solids' samples, which `find` writes as pressure.h does, act on them for h.
  template <class Find>
  void push(World& world, SphFluid<D>& fluid, double h, const Find& find) {
    for (auto& s : solids_) {
      find(s->places(fluid), s->push());
      s->apply_impulses(world, fluid, h);
    }
  }
  // The bound of the solids' mobility for all wall particles, from the pull of fluid particles on
  // samples, which `find` writes; empty without any.
  template <class Find>
  Span<const Real> mobility_bound(World& world, SphFluid<D>& fluid, const Find& find) {
    find_solids(world);
    if (solids_.empty()) return {};
    mobility_bound_.resize(std::size_t(fluid.walls().cells.rows.size)), mobility_bound_.zero();
    for (auto& s : solids_) {
      find(s->places(fluid), s->push());
      s->find_mobility_bound(world, fluid, mobility_bound_.span());
    }
    return mobility_bound_.span();
  }
  // To where they will be after h, `ahead` seconds before the step's end.
  void move(World&, SphFluid<D>&, double h, double ahead);

 private:
  void find_solids(World&);
  void find_samples(World&);

  std::string fluid_;
  std::vector<std::string> boundaries_;
  bool looked_ = false;
  double lead_ = 0;  // [s]
  std::vector<std::unique_ptr<YieldingSolid<D>>> solids_;
  Buffer<Real> mobility_bound_;
};

}  // namespace rtsim
