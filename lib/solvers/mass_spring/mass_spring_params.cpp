#include "deformables/tearing.h"
#include "solvers/mass_spring/mass_spring.h"

namespace rtsim {

namespace {

constexpr Option layouts[] = {
    {"edges", int(SpringLayout::edges), "the edges of its lines, triangles and tets."},
    {"cloth", int(SpringLayout::cloth),
     "of a sheet structural, shear and flexion springs; of other triangles their edges, and from "
     "opposite point to opposite point over them."},
};
constexpr Option laws[] = {
    {"absolute", int(SpringLaw::absolute), "k is the stiffness [N/m]."},
    {"relative", int(SpringLaw::relative),
     "k is the stiffness [N] over the rest length: a rope, a row of cloth, is as stiff with any "
     "number of points."},
};
constexpr Option integrators[] = {
    {"explicit_euler", int(SpringIntegrator::explicit_euler),
     "first order; gains energy at any step unless damped."},
    {"symplectic_euler", int(SpringIntegrator::symplectic_euler),
     "first order, energy bounded; one evaluation."},
    {"midpoint", int(SpringIntegrator::midpoint), "second order, gains energy; two evaluations."},
    {"heun", int(SpringIntegrator::heun),
     "the trapezoidal rule: second order, gains energy; two evaluations."},
    {"rk4", int(SpringIntegrator::rk4),
     "Runge-Kutta: fourth order, loses energy; four evaluations."},
    {"verlet", int(SpringIntegrator::verlet),
     "positions of second order; velocities are those of half a substep before."},
    {"velocity_verlet", int(SpringIntegrator::velocity_verlet),
     "second order, energy bounded; two evaluations."},
    {"implicit_euler", int(SpringIntegrator::implicit_euler),
     "first order, stable for any step, loses energy."},
    {"implicit_midpoint", int(SpringIntegrator::implicit_midpoint),
     "second order, and keeps the energy of small oscillations; stiff springs ring."},
};

}  // namespace

void describe(Describe& d, MassSpringParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds, "The points and cells that it joins by springs.");
  d.choice("network", p.network, layouts, "Which springs there are:");
  d.choice("law", p.law, laws, "What stiffness means:");
  d("stiffness", p.stiffness, "N/m", at_least(0),
    "Of edges, or structural springs [N of relative ones].");
  d("shear_stiffness", p.shear_stiffness, "N/m", at_least(0),
    "Of shear springs. Default: the stiffness.");
  d("flexion_stiffness", p.flexion_stiffness, "N/m", at_least(0),
    "Of flexion springs. They are no bending stiffness: their energy grows with the fourth power "
    "of "
    "a curvature. Default: the stiffness.");
  d("bending_stiffness", p.bending_stiffness, "N*m", at_least(0),
    "Of triangles besides: B of a plate, of which an area bent to a curvature k has the energy B/2 "
    "k^2. They are at rest as they start.");
  d("damping", p.damping, "N*s/m", at_least(0), "c of every spring, along it.");
  d("drag", p.drag, "1/s", at_least(0), "Slows all points down at this rate.");
  d("rest_scale", p.rest_scale, "", at_least(0), "Rest lengths over those at the start.");
  d.choice("integrator", p.integrator, integrators, "How it steps in time:");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  describe(d, p.solve);
  describe_tear_strain(d, p.tear_strain);
  describe(d, p.contact);
}

// Measured: three springs a point, of cloth six; matrices and levels where it solves.
double row_bytes(const MassSpringParams& p, const GridShape&) {
  const int springs = p.network == SpringLayout::cloth ? 6 : 3;
  const double bending = p.bending_stiffness > 0 ? 60 * sizeof(Index) + 128 * sizeof(Real) : 0;
  const double steps = is_implicit(p.integrator)
                           ? 115 * sizeof(Real) + springs * (2 * sizeof(Index) + 11 * sizeof(Real))
                           : 10 * sizeof(Index) + 30 * sizeof(Real) +
                                 springs * (2 * sizeof(Index) + 2 * sizeof(Real));
  return steps + bending + contact_point_bytes(p.contact);
}

}  // namespace rtsim
