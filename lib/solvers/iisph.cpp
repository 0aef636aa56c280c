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
      "Rows at walls carry up to 1.4 times their pressure, twice where a stream hits a wall, and "
      "the next rows too little: walls answer with no pressure of their own, so probes of pressure "
      "belong three spacings off walls. Forces on walls are right, and so are probes of "
      "wall_pressure, but for a spacing from a corner, where they read up to a sixth too much. "
      "Walls of samples are as many layers deep as the support sees; in open meshes and solids too "
      "thin for them a support above 2 has pressure too weak to keep rows out, and they are pushed "
      "back as they enter the samples, which the series rows_in_walls counts. Where boundaries "
      "touch, samples thin each other, and rows in the edge between see up to a tenth too little "
      "density. At a support of 3 "
      "and little viscosity rows of still water pair up. Density errors that a step leaves stir "
      "the fluid, by their part of spacing / dt: small waves want tolerances below the defaults.",
      make_iisph);
}

}  // namespace rtsim
