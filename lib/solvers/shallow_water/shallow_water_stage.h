#pragma once
#include "solvers/shallow_water/shallow_water_bodies.h"
#include "solvers/shallow_water/shallow_water_setup.h"

namespace rtsim {

// What both schemes of shallow_water share: what they tell of the water, and how long their
// substeps may be.
class WaterStage : public Stage {
 public:
  WaterStage(const ShallowWaterParams&, World&);

  void refresh(World&, double) override;
  void before_frame(World&) override;
  double stable_dt(World&) const override;
  void measure(World&, std::vector<Measurement>&) const override;
  Feed feed(World&) const override;

 protected:
  // After boundaries moved; whether the ground changed.
  bool move_bodies(World&);
  // Finds speed_, and throws Diverged where the water is lost.
  virtual void look(World&) = 0;
  // Courant number of stable_dt.
  virtual double greatest_courant() const = 0;

  Table& table(World& w) const { return w.table(p_.water.name); }
  shallow_water::Columns columns(World&) const;
  double stable_substep(double courant) const;
  // How many substeps `left` seconds take, with what slopes and springs may add to the speed in
  // each; throws Diverged where it is a million.
  int needed(double left) const;

  const ShallowWaterParams p_;
  const GridShape grid_;
  shallow_water::Flow flow_;
  double speed_ = 0;  // greatest |u| + |v| + 2 c seen last [m/s]
  double push_ = 0;   // what slopes of the ground may add to it in a second [m/s^2]
  double rise_ = 0;   // how fast springs raise the water [m/s]
  int substeps_ = 0;  // of the last step

 private:
  Buffer<shallow_water::Probe> probes_;
  WaterBodies bodies_;
};

}  // namespace rtsim
