#include "solvers/dfsph/dfsph.h"

namespace rtsim {

void describe(Describe& d, DfsphParams& p) {
  describe(d, p.density);
  d("divergence_error_mean", p.divergence_error_mean, "", {1e-7, 0.5, true},
    "Mean compression within a further step that the divergence solve may leave.");
}

namespace {

// Algorithm 1 of the paper, begun with the second half of its loop: between steps the velocities
// are free of divergence, and neighbours and factors are those of the positions.
std::unique_ptr<Stage> make_dfsph(const DfsphParams& p, World& world) {
  return make_density_stage(p.density, world, Prediction::rate, p.divergence_error_mean);
}

}  // namespace

StageType dfsph_type() {
  return stage_type(
      "dfsph", "Incompressible SPH by two solves: constant density and no divergence.",
      "Bender & Koschier, \"Divergence-Free SPH for Incompressible and Viscous Fluids\", TVCG "
      "23(3), 2017; walls after Akinci et al., \"Versatile Rigid-Fluid Coupling for "
      "Incompressible SPH\", SIGGRAPH 2012",
      {"Step: dt / substeps <= 0.4 h / v. Resists compression only, unless \"tension\" is set.",
       "At the default support a channel of 20 spacings flows 1.4 times too fast.",
       "Vortices in a box without a surface lose half of their energy without \"shifting\"."},
      "docs/particle_fluids.md", make_dfsph);
}

}  // namespace rtsim
