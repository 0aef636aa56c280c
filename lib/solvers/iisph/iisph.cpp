#include "solvers/iisph/iisph.h"

#include "particles/density_stage.h"

namespace rtsim {

namespace {

std::unique_ptr<Stage> make_iisph(const DensitySolveParams& p, World& world) {
  return make_density_stage(p, world, Prediction::rate);
}

}  // namespace

StageType iisph_type() {
  return stage_type(
      "iisph", "Incompressible SPH by one implicit solve for constant density.",
      "Ihmsen, Cornelis, Solenthaler, Horvath, Teschner, \"Implicit Incompressible SPH\", TVCG "
      "20(3), 2014; walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible "
      "SPH\", SIGGRAPH 2012",
      {"Step: dt / substeps <= 0.4 h / v. Resists compression only, unless \"tension\" is set.",
       "At the default support a channel of 20 spacings flows 1.4 times too fast.",
       "Velocities keep some divergence, which dfsph removes."},
      "docs/particle_fluids.md", make_iisph);
}

}  // namespace rtsim
