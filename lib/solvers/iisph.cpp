#include "solvers/iisph.h"

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
      "The step is limited by speed: dt / substeps <= 0.4 h / v. Velocities keep some "
      "divergence: dfsph removes it. The relaxed Jacobi steps carry Nesterov's momentum, which "
      "the paper's do not. Compression is kept within the tolerances, tension is not resisted. "
      "Fluid at rest keeps half a spacing from walls. "
      "At the default support shear along a lattice feels 0.66 of the viscosity, in 3D 0.71, and "
      "fluid slips along walls: a channel of 20 spacings flows 1.4 times too fast. "
      "configs/iisph/poiseuille.json mends both. Vortices in a box without surface lose half of "
      "their energy and more at a Reynolds number of 100; with shifting at a support of 3 speeds "
      "stay within 3 %. "
      "Rows at walls carry up to 1.4 times their pressure, and jets that hit corners more: walls "
      "answer with no pressure of their own. Forces on walls are right, and so are probes of "
      "wall_pressure, but for two spacings from a corner, where they read up to a quarter too "
      "much. Walls of samples hold water at the default support: at 3 a column of 40 spacings "
      "lost a tenth of itself through them in 2.4 s; volume maps held it. Density errors that a "
      "step leaves stir the fluid, by their part of spacing / dt: small waves want tolerances "
      "below the defaults.",
      make_iisph);
}

}  // namespace rtsim
