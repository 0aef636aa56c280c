#include "solvers/iisph/iisph.h"

#include "particles/density_limits.h"
#include "particles/density_stage.h"

namespace rtsim {

namespace {

std::unique_ptr<Stage> make_iisph(const DensitySolveParams& p, World& world) {
  return make_density_stage(p, world, Prediction::rate);
}

}  // namespace

StageType iisph_type() {
  static const std::string limits = density_limits(
      "iisph",
      "The step is limited by speed: dt / substeps <= 0.4 h / v. Velocities keep some "
      "divergence: dfsph removes it. The relaxed Jacobi steps carry Nesterov's momentum, which "
      "the paper's do not. Compression is kept within the tolerances, tension is not resisted "
      "unless \"tension\" says so. Fluid at rest keeps half a spacing from walls.");
  return stage_type(
      "iisph", "Incompressible SPH by one implicit solve for constant density.",
      "Ihmsen, Cornelis, Solenthaler, Horvath, Teschner, \"Implicit Incompressible SPH\", TVCG "
      "20(3), 2014; walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible "
      "SPH\", SIGGRAPH 2012",
      limits, make_iisph);
}

}  // namespace rtsim
