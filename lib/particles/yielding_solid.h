#pragma once
#include <string>

#include "particles/sph_fluid.h"

namespace rtsim {

// A solid in a fluid as the fluid's solver predicts it within a step: pushed by the pressure found
// so far, by gravity, and by what else acted on it in both of the last two steps. What rigid bodies
// and meshes show the fluid is the same: samples, and how these yield to impulses on them.
template <int D>
class YieldingSolid {
 public:
  YieldingSolid(World& world, std::string solid, std::string fluid)
      : solid_(std::move(solid)),
        fluid_(std::move(fluid)),
        push_(world.exec, std::size_t(samples(world).rows())) {}
  virtual ~YieldingSolid() = default;

  const std::string& name() const { return solid_; }
  // Its samples are those from `first` on, among those of all tables, one behind the other.
  void stand_from(Index first) { first_ = first; }
  // As its table has it, at the start of a step of dt.
  virtual void load(World&, double dt) = 0;
  // Wall rows move as it will within the next h; samples are `lead` seconds ahead.
  virtual void aim(World&, SphFluid<D>&, double h, double lead) = 0;
  // The forces in push() act for h.
  virtual void apply_impulses(World&, SphFluid<D>&, double h) = 0;
  // From the pull of fluid particles in push(), to the packed rows.
  virtual void find_mobility_bound(World&, const SphFluid<D>&, Span<Real> bound) = 0;
  // To where it will be after h, `ahead` seconds before the step's end.
  virtual void move(World&, SphFluid<D>&, double h, double ahead) = 0;

  Table& samples(World& w) const { return w.table(sample_table(solid_, fluid_)); }
  Span<const Index> places(const SphFluid<D>& f) const {
    return {f.wall_places().data + first_, Index(push_.size())};
  }
  Span<Row4> push() { return push_.span(); }

 protected:
  const std::string solid_, fluid_;

 private:
  Index first_ = 0;
  Buffer<Row4> push_;  // force on each sample [N]
};

}  // namespace rtsim
