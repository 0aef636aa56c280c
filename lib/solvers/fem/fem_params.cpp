#include <fmt/format.h>

#include "solvers/fem/fem.h"

namespace rtsim {

namespace {

// Beyond it linear tetrahedra are so stiff against bending that they show nothing but that.
constexpr double locked = 0.49;

constexpr Option materials[] = {
    {"linear", int(fem::Material::linear),
     "small strains: exact where nothing turns; what turns by an angle a swells by 1/cos a - 1."},
    {"corotational", int(fem::Material::corotational),
     "small strains in axes that turn with each element: soft bodies and structures that turn far "
     "and strain little."},
    {"stvk", int(fem::Material::stvk),
     "Saint Venant-Kirchhoff, Green's strain: gives way and turns inside out where it is pressed "
     "to less than 58 % of its length."},
    {"neo_hookean", int(fem::Material::neo_hookean),
     "stable neo-Hookean: rubber and flesh, large strains; comes back from inside out."},
};
constexpr Option integrators[] = {
    {"symplectic_euler", int(FemIntegrator::symplectic_euler),
     "explicit, first order, energy bounded; stable below the time that sound takes through the "
     "smallest element."},
    {"backward_euler", int(FemIntegrator::backward_euler),
     "first order, stable for any step; loses energy, of a mode of frequency w the part "
     "1 - 1/(1 + (w h)^2) a step."},
    {"newmark", int(FemIntegrator::newmark),
     "the trapezoidal rule: second order, keeps the energy of small oscillations; stiff modes "
     "ring."},
    {"bdf2", int(FemIntegrator::bdf2),
     "backward differences over two steps: second order, loses little energy but of fast modes. "
     "Without boundaries."},
};

}  // namespace

void describe(Describe& d, FemParams& p) {
  static constexpr const char* kinds[] = {"mesh"};
  d.role("mesh", p.mesh, kinds,
         "The mesh that it moves, at rest as it starts: tetrahedra, or triangles in a plane of "
         "one z, as plane strain of a slice 1 m deep. Its density is that of the material.");
  d.choice("material", p.material, materials, "How it resists strains:");
  d("youngs_modulus", p.youngs_modulus, "Pa", above(0),
    "E of small strains: stress over strain of a rod that is pulled.");
  d("poissons_ratio", p.poissons_ratio, "", between(-0.99, 0.4999),
    "nu of small strains: how much thinner a rod becomes over how much longer. 0.5 would keep its "
    "volume.");
  d("rayleigh_mass", p.rayleigh_mass, "1/s", at_least(0),
    "a of Rayleigh's damping a M + b K: slows all motion down at this rate.");
  d("rayleigh_stiffness", p.rayleigh_stiffness, "s", at_least(0),
    "b of it: a mode of frequency w [rad/s] has the damping ratio a / (2 w) + b w / 2. K is that "
    "at the start of a substep.");
  d.choice("integrator", p.integrator, integrators, "How it steps in time:");
  d("substeps", p.substeps, "", between(1, 100000), "Equal substeps per time step.");
  d("newton_iterations", p.solve.newton_iterations, "", between(1, 1000),
    "The most linear systems a substep; a line search follows each but the first. 1: linearised "
    "once.");
  d("newton_tolerance", p.solve.newton_tolerance, "", above(0),
    "The residual at which those stop, over the forces that balance: of inertia, and of each "
    "corner of the elements.");
  d("cg_iterations", p.solve.cg_iterations, "", between(1, 100000),
    "The most conjugate gradient steps for a linear system.");
  d("cg_tolerance", p.solve.cg_tolerance, "", above(0),
    "The error at which those stop, over the velocity that they end with or its change, the "
    "smaller, in the norm of the energy: kinetic, and elastic of the way in a substep. A bound of "
    "the error and not a residual.");
  describe(d, p.contact);
  if (p.poissons_ratio > locked)
    d.fault("poissons_ratio",
            fmt::format("{} with linear elements, which keep their volumes one by one: they lock, "
                        "and bend many times too little; take at most {}",
                        p.poissons_ratio, locked));
  if (p.rayleigh_stiffness > 0 && !p.implicit())
    d.fault("rayleigh_stiffness",
            "needs an implicit \"integrator\"; with \"symplectic_euler\" take \"rayleigh_mass\"");
  if (p.implicit() && p.contact.restitution > 0)
    d.fault("restitution",
            "must be 0: implicit solids do not rebound by it, their solve keeps points on "
            "boundaries; they rebound by their own elasticity");
  if (p.integrator == FemIntegrator::bdf2 &&
      (!p.contact.boundary.names.empty() || p.contact.self_contact || p.contact.proxy_spheres))
    d.fault("integrator",
            "\"bdf2\" goes on from two steps, which contact does not know; take "
            "\"backward_euler\" or \"newmark\"");
}

// Of a sheet: two elements a point, and nine blocks with what fills slices up. What solids take is
// counted as twice that.
double row_bytes(const FemParams& p, const GridShape&) {
  const double elements =
      2 * (sizeof(fem::ElementSlot) / double(lane_count) + 4 * sizeof(Row4) + 4 * sizeof(Index));
  const double solve = 2 * (6 * sizeof(Mat3<Real>) + 12 * sizeof(Index)) +
                       9 * (9 * sizeof(Real) + 3 * sizeof(Index)) + 14 * sizeof(Row4) +
                       40 * sizeof(Real);
  return elements + (p.implicit() ? solve : 0) + contact_point_bytes(p.contact);
}

fem::Lame<double> lame_of(const FemParams& p) {
  const double E = p.youngs_modulus, nu = p.poissons_ratio;
  return {E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
}

}  // namespace rtsim
