#include "solvers/pcisph/pcisph.h"

#include "particles/density_limits.h"
#include "particles/density_stage.h"

namespace rtsim {

namespace {

std::unique_ptr<Stage> make_pcisph(const DensitySolveParams& p, World& world) {
  return make_density_stage(p, world, Prediction::distances);
}

}  // namespace

StageType pcisph_type() {
  static const std::string limits = density_limits(
      "pcisph",
      "The step is limited by speed: dt / substeps <= 0.4 h / v. Corrections are scaled by each"
      " particle's own neighbourhood, not by a full one as in the paper, and start from the "
      "pressures of the last step. Compression is kept within the tolerances, tension is not "
      "resisted unless \"tension\" says so. Pressure begins anew where rows would fly apart so "
      "that "
      "a tenth of their density were lost. A block of water that strikes at 5 m/s in steps that "
      "speeds only just allow may fly apart: at a spacing of 0.032 m with 2 ms, rows of 60 m/s and "
      "more, not with 1 ms.");
  return stage_type(
      "pcisph", "Incompressible SPH by prediction and correction of positions.",
      "Solenthaler & Pajarola, \"Predictive-Corrective Incompressible SPH\", SIGGRAPH 2009; walls "
      "after Akinci et al., \"Versatile Rigid-Fluid Coupling for Incompressible SPH\", SIGGRAPH "
      "2012",
      limits, make_pcisph);
}

}  // namespace rtsim
