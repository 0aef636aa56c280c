#include "particles/sph_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lanes/row4.h"
#include "sph/phases.h"
#include "sph/poly6.h"
#include "sph/wall_map.h"

namespace rtsim {

void describe(Describe& d, SphProbe& p) {
  static constexpr Option quantities[] = {
      {"pressure", int(SphProbe::Quantity::pressure), "of the particles near it"},
      {"wall_pressure", int(SphProbe::Quantity::wall_pressure),
       "what a gauge in the wall there reads: normal force on the samples near it, over area; of "
       "walls that stand still, and over a whole time step"},
      {"height", int(SphProbe::Quantity::height),
       "how far the fluid stands above the place, against gravity"},
  };
  d.required("name", p.name, "Of the series: <stage>.<object>.<name>.");
  d.choice("quantity", p.quantity, quantities, "What is measured:");
  d.vector("at", p.at, "m", "Where.");
  d("radius", p.radius, "m", above(0),
    "Of the gauge that reads a wall_pressure, whose middle counts more than its rim. Default and "
    "least: two spacings of the fluid.");
}

namespace {

// What particle fluids measure by themselves.
constexpr const char* own_series[] = {"kinetic_energy",
                                      "potential_energy",
                                      "internal_energy",
                                      "mass",
                                      "density_error_mean",
                                      "density_error_max",
                                      "front",
                                      "highest",
                                      "lowest",
                                      "pairs",
                                      "max_neighbours",
                                      "rows_in_walls",
                                      "max_speed",
                                      "iterations",
                                      "density_iterations",
                                      "divergence_iterations",
                                      "predicted_error_mean",
                                      "predicted_error_max",
                                      "residual_mean",
                                      "residual_max",
                                      "multiplier_mean",
                                      "springs",
                                      "viscosity_iterations",
                                      "viscosity_error"};

void check_names(Describe& d, const std::vector<SphProbe>& probes) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (auto p = probes.begin(); p != probes.end(); ++p) {
    if (p->name.empty() || p->name.find_first_not_of(letters) != std::string::npos)
      d.fault("probes",
              fmt::format("\"{}\" must consist of letters, digits, _ and -, as it names a "
                          "series",
                          p->name));
    if (std::ranges::count(own_series, p->name) > 0)
      d.fault("probes", fmt::format("\"{}\" is a series that fluids have of their own; choose "
                                    "another name",
                                    p->name));
    if (std::any_of(probes.begin(), p, [&](const SphProbe& o) { return o.name == p->name; }))
      d.fault("probes",
              fmt::format("two are named \"{}\"; series need names of their own", p->name));
  }
}

constexpr const char* fluids[] = {"particles"};

}  // namespace

void describe(Describe& d, PhaseSpec& p) {
  d.role("fluid", p.fluid, fluids, "The particles that flow, of the spacing of the stage's own.");
  d.required("rest_density", p.rest_density, "kg/m^D", above(0),
             "Density of the undisturbed fluid.");
  d("kinematic_viscosity", p.kinematic_viscosity, "m^2/s", at_least(0),
    "Viscosity nu, also against walls.");
}

void describe_phases(Describe& d, SphParams& p, bool other_forces) {
  d.list("phases", p.phases,
         "Further fluids in the same tank, with densities and viscosities of their own: oil on "
         "water. The stage's \"fluid\", \"rest_density\" and \"kinematic_viscosity\" are those of "
         "the first. Particles of all of them have the same volume, and pairs of fluids the "
         "harmonic mean of their dynamic viscosities. There is no tension between fluids; "
         "\"couple\" takes the first one's name. Not with volume maps, shifting and forces that "
         "know one fluid alone.");
  if (p.phases.empty()) return;
  if (int(p.phases.size()) >= sph::Phases::most)
    d.fault("phases", fmt::format("a stage takes up to {} fluids", sph::Phases::most));
  if (p.boundary_method == BoundaryMethod::volume_map)
    d.fault("phases", "volume maps know one fluid alone: leave out \"boundary_method\"");
  if (other_forces)
    d.fault("phases",
            "implicit_viscosity, cohesion, capillary, vorticity, micropolar, drag and shifting "
            "know one fluid alone: leave them out");
}

void describe(Describe& d, SphParams& p) {
  static constexpr const char* boundaries[] = {"boundary", "bodies", "mesh"};
  d.role("fluid", p.fluid, fluids, "The particles that flow.");
  d.roles("boundary", p.boundary, boundaries,
          "What keeps them in and what they meet, sampled at the fluid's spacing. A stage "
          "couple lets them push bodies and meshes.");
  static constexpr Option methods[] = {
      {"samples", int(BoundaryMethod::samples), "sample points in them (Akinci et al. 2012)"},
      {"volume_map", int(BoundaryMethod::volume_map),
       "their volume within reach, on a grid (after Bender et al. 2019): smooth, and independent "
       "of "
       "where samples lie; not for open meshes and walls thinner than a spacing"},
  };
  d.choice("boundary_method", p.boundary_method, methods, "What the fluid meets of boundaries:");
  d("map_cell", p.map_cell, "m", above(0),
    "Of volume maps, in the boundary's own frame. Default: the fluid's spacing.");
  d.nested(
      "periodic", p.periodic,
      "A box that repeats along some axes, walls with it. What is shorter than the box may reach "
      "through its faces, and comes in opposite: cut the fluid there too, which is not checked; "
      "torques on it take what came in where it stands. Of "
      "what is longer all that stands outside is left out, so it must repeat. Forces of other "
      "stages, surfaces and "
      "volumes end at its faces. One that is full leaves a fluid that keeps its density no room: "
      "take "
      "half a percent off particle_mass there.");
  d("rest_density", p.rest_density, "kg/m^D", above(0), "Density of the undisturbed fluid, rho0.");
  d("particle_mass", p.particle_mass, "kg", above(0),
    "Default: rest_density * spacing^D, so that the fluid starts at rest density.");
  d("support", p.support, "", between(1.5, 4),
    "Radius of the smoothing kernel in particle spacings.");
  d("boundary_forces", p.boundary_forces,
    "Finds force and torque about the origin on each boundary, as series and as columns of its "
    "table `<boundary>.forces@<fluid>`, and the force on every sample, as their column `force`. "
    "Volume maps have no samples to push. Probes of wall_pressure find the columns too.");
  d.list("probes", p.probes, "Places where the series look at the fluid.");
  check_names(d, p.probes);
}

BoundaryMemory boundary_memory(const SphParams& p, int dim) {
  BoundaryMemory m{.fluid = p.fluid.name, .boundaries = p.boundary.names};
  const double row = sizeof(Row4), column = double(sizeof(Real)) * dim;
  m.margin = p.support;
  if (p.boundary_method == BoundaryMethod::samples) {
    if (!p.wants_wall_forces()) return m;
    m.row_bytes = row + sizeof(Index);  // what a row lost, and where
    m.sample_bytes = 2 * row + 2 * column;
    return m;
  }
  const Index own = (dim == 2 ? sph::fan<2> : sph::fan<3>)*Index(p.boundary.names.size());
  m.row_bytes = own * (p.wants_wall_forces() ? 3 : 2) * row;  // place, velocity, force
  m.node_bytes = sph::map_node_bytes(dim);
  m.cell = p.map_cell;
  return m;
}

void refuse_volume_maps(const SphParams& p, const char* stage) {
  if (p.boundary_method == BoundaryMethod::volume_map)
    throw Error(ExitCode::bad_input,
                fmt::format("{} keeps particles out of samples alone; leave out "
                            "\"boundary_method\": \"volume_map\", or use another solver",
                            stage));
}

void refuse_periodic(const SphParams& p, const char* stage) {
  if (p.periodic)
    throw Error(ExitCode::bad_input,
                fmt::format("{} knows no periodic boxes; leave out \"periodic\", or use another "
                            "solver",
                            stage));
}

bool SphParams::wants_wall_forces() const {
  return boundary_forces || std::ranges::any_of(probes, [](const SphProbe& p) {
           return p.quantity == SphProbe::Quantity::wall_pressure;
         });
}

double SphParams::mass(const World& w) const {
  return particle_mass.value_or(rest_density * std::pow(w.object(fluid.name).spacing, w.dim));
}

double SphParams::kernel_support(const World& w) const {
  return support * w.object(fluid.name).spacing;
}

double support_of_self_contribution(int dim, double beta, double mass, double rest_density) {
  // poly6 at unit radius has W(0) = scale; W(0) falls as H^-D.
  return std::pow(mass * double(sph::Poly6::of(dim, 1).scale) / (beta * rest_density), 1.0 / dim);
}

}  // namespace rtsim
