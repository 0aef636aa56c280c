#include <fmt/format.h>

#include "solvers/fem/fem.h"

namespace rtsim {

namespace {

constexpr Option materials[] = {
    {"linear", int(fem::Material::linear),
     "small strains: exact where nothing turns; what turns by an angle a swells by 1/cos a - 1."},
    {"corotational", int(fem::Material::corotational),
     "small strains in axes that turn with each element: soft bodies and structures that turn far "
     "and strain little."},
    {"corotational_gram_schmidt", int(fem::Material::gram_schmidt),
     "the same with axes by Gram-Schmidt, to compare: cheaper, but it depends on how the body lies "
     "in x, y, z, and turns what nothing turns. Linearised once, or explicit."},
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

static void describe(Describe& d, FemRegion& r) {
  d.one_or_many("inside", r.inside, "Elements whose middle at the start is inside any of these.",
                "shape");
  d("tag", r.tag, "", any(),
    "Or elements that a .msh file has in this physical group; of a .vtk or .vtu file those with "
    "this "
    "number in the first array of whole numbers that its cells have.");
  d("youngs_modulus", r.youngs_modulus, "Pa", above(0), "Default: that of the stage.");
  d("poissons_ratio", r.poissons_ratio, "", between(-0.99, 0.4999), "Likewise.");
  d("density", r.density, "kg/m^3", above(0), "Default: that of the mesh.");
  if (r.inside.empty() == !r.tag) d.fault("inside", "give one of \"inside\" and \"tag\"");
}

static void describe(Describe& d, FacePressure& p) {
  d.required("pressure", p.pressure, "Pa", any(),
             "Against faces, wherever they turn; negative: it pulls.");
  d.one_or_many("inside", p.inside,
                "On faces whose corners all start inside or on one of these. Default: on the whole "
                "surface.",
                "shape");
  d("times", p.times, "s", any(), "Growing: where the pressure is given. Default: it is constant.");
  d("factors", p.factors, "", any(), "Of the pressure at each of them, linear between.");
  d("file", p.file, "Instead: a line for each, time and factor; the first may name them.");
  if (!p.file.path.empty() && !p.times.empty())
    d.fault("file", "give \"times\" and \"factors\", or a \"file\"");
  if (p.times.size() != p.factors.size())
    d.fault("factors",
            fmt::format("has {} entries for {} \"times\"", p.factors.size(), p.times.size()));
}

static void describe(Describe& d, PlasticParams& p) {
  d("yield_strain", p.yield_strain, "", above(0),
    "The strain at which a rod that is pulled begins to flow: where von Mises' stress is E times "
    "it. What is above it becomes plastic strain, of no volume, and stays. Default: nothing "
    "flows.");
  d("creep", p.creep, "1/s", above(0),
    "At this rate strain above the yield becomes plastic. Default: at once.");
  d("max_plastic_strain", p.max_plastic_strain, "", above(0),
    "Of a rod: what is beyond it is elastic again. Default: no limit.");
  if (!p.yield_strain && (p.creep || p.max_plastic_strain))
    d.fault(p.creep ? "creep" : "max_plastic_strain",
            "is of plastic flow; give a \"yield_strain\"");
}

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
  d.list("regions", p.regions,
         "Elements of another material; where several have an element, the last.");
  d.list(
      "pressures", p.pressures,
      "On faces of the surface, or of triangles on their rim, wherever they are at the start of a "
      "substep.");
  d.nested("plastic", p.plastic, "What of the strain stays; of \"corotational\".");
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
  if (p.plastic.yield_strain && p.material != fem::Material::corotational)
    d.fault("plastic", "is of the material \"corotational\"");
  if (p.material == fem::Material::gram_schmidt && p.implicit() && p.solve.newton_iterations > 1)
    d.fault("material",
            "\"corotational_gram_schmidt\" has no energy that a line search could look at: take "
            "\"newton_iterations\": 1, or \"symplectic_euler\"");
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
  const bool meets_itself = p.contact.self_contact || p.contact.proxy_spheres;
  const double answers = p.implicit() && meets_itself ? 5 * sizeof(Vec<3>) : 0;
  return elements + (p.implicit() ? solve : 0) + contact_point_bytes(p.contact) + answers;
}

fem::Lame<double> lame_of(double E, double nu) {
  return {E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
}

double greatest_poissons_ratio(const FemParams& p) {
  double most = p.poissons_ratio;
  for (const FemRegion& r : p.regions) most = std::max(most, r.poissons_ratio.value_or(most));
  return most;
}

}  // namespace rtsim
