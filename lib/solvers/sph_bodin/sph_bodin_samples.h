#pragma once
#include "particles/sample_column.h"
#include "particles/sph_fluid.h"
#include "particles/walls/wall_limits.h"
#include "sph_bodin/samples.h"

namespace rtsim {

// The constraints of the samples of a fluid's walls that have a limit, with their multipliers: see
// sph_bodin/samples.h. Without any, all of it does nothing.
template <int D>
class SphBodinSamples {
 public:
  // Adds the column multiplier to the tables of samples. `flat`: what a flat wall may see.
  SphBodinSamples(World&, const SphParams&, double flat);

  // For the velocities of the motion rows, before forces act. `density`: the kernel of densities.
  template <class Kernel>
  void assemble(World&, const SphFluid<D>&, const sph_bodin::Constraint&, const Kernel& density);
  void start(World&, const SphFluid<D>&, const sph_bodin::Constraint&, double scale,
             Span<Row4> motion);
  void sweep(World&, const SphFluid<D>&, const sph_bodin::Constraint&, Span<Row4> motion);
  // Multipliers within h become lambda / h, which are kept.
  void finish(World&, const SphFluid<D>&, double h);
  void push_on_samples(World&, Span<Row4> force);

 private:
  sph_bodin::SampleSystem system();

  WallLimits limits_;
  SampleColumn multiplier_;  // lambda / dt [J]
  sph_bodin::ColouredCells coloured_;
  Buffer<Index> first_, count_, columns_;
  Buffer<Row4> entries_;
  Buffer<Real> inv_diagonal_, offset_;
};

}  // namespace rtsim
