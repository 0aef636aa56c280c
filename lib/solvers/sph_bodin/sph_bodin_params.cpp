#include "particles/walls/wall_limits.h"
#include "solvers/sph_bodin/sph_bodin.h"

namespace rtsim {

void describe(Describe& d, SphBodinParams& p) {
  describe(d, p.sph);
  describe_pressure_boundaries(d, p.sph,
                               "of walls, too: still water stands half a spacing off them");
  using Kernel = SphBodinParams::Kernel;
  static constexpr Option kernels[] = {
      {"poly6", int(Kernel::poly6),
       "as in the paper: the Jacobian, of poly6h, is not the density's derivative, so the fluid "
       "gains energy, and in 3D water boils"},
      {"poly6h", int(Kernel::poly6h),
       "the kernel whose gradient poly6h is, fitted to a full lattice: keeps energy"}};
  d("self_contribution", p.self_contribution, "", {0, 1, false},
    "Part beta of rest density that a lone particle has, in place of \"support\": sets the "
    "kernel's radius H by m W(0) = beta rho0. 0.65 compresses least in 2D.");
  if (p.self_contribution) p.density_kernel = Kernel::poly6;
  d.choice("density_kernel", p.density_kernel, kernels,
           "What densities are sums of; with self_contribution \"poly6\" by default:");
  if (p.self_contribution && p.density_kernel == Kernel::poly6h)
    d.fault("self_contribution",
            "is for the paper's kernel of density; with \"density_kernel\": \"poly6h\" give "
            "\"support\"");
  d("sound_speed", p.sound_speed, "m/s", above(0),
    "How soft the constraints are: their compliance is 1 / (m c^2). Default: ten times the speed "
    "of a fall from the top of the fluid, or of what emit lets into it, to the lowest wall or "
    "particle, with the greatest speed of both at the start and of walls added; rigid where "
    "nothing moves and nothing falls.");
  d("relaxation_steps", p.relaxation_steps, "", at_least(0),
    "Number of substeps d within which a density error decays; more of them damp more.");
  d("tension", p.tension,
    "Whether the fluid also resists expansion, as in the paper. Without, it only pushes: spray "
    "does not clump, and nothing sticks to walls.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls; stable for any step. Acts along the lines between "
    "neighbours: with the eight that a self_contribution of 0.65 leaves, a lattice that shears "
    "along itself hardly feels it.");
  d("max_iterations", p.max_iterations, "", between(1, 10000), "Sweeps over all constraints.");
  d("residual", p.residual, "", {0, 1, true},
    "Mean error of a sweep, as change of density within a substep, that ends the iteration.");
  d("warm_start", p.warm_start, "Whether to begin with the multipliers of the last substep.");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.forces);
}

BoundaryMemory boundary_memory(const SphBodinParams& p, int dim) {
  BoundaryMemory m = boundary_memory(p.sph, dim);
  // Of samples: numbers of a constraint each, and rows with their entries.
  count_limits(p.sph, dim, 7 * sizeof(Real) + 2 * sizeof(Index), sizeof(Row4) + sizeof(Index), m);
  return m;
}

}  // namespace rtsim
