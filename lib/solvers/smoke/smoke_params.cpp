#include <fmt/format.h>

#include "solvers/smoke/smoke.h"

namespace rtsim {

void describe(Describe& d, SmokeFill& p) {
  describe(d, p.place);
  d("density", p.density, "kg/m^D", at_least(0), "Of smoke.");
  d("temperature", p.temperature, "K", any(), "Above the ambient one.");
  d.vector("temperature_slope", p.temperature_slope, "K/m",
           "How \"temperature\", then that in the middle of the grid, grows with the place.");
  d("dyes", p.dyes, "", any(), "In the stage's order; none: 0.");
}

void describe(Describe& d, SmokeSource& p) {
  describe(d, p.place);
  d.list("schedule", p.schedule, "When it acts; none: always.");
  d("density_rate", p.density_rate, "kg/(m^D s)", any(), "Smoke that it adds in the middle.");
  d("temperature_rate", p.temperature_rate, "K/s", any(), "Warmth that it adds.");
  d("dye_rates", p.dye_rates, "1/s", any(), "Dyes that it adds, in the stage's order.");
  d.vector("acceleration", p.acceleration, "m/s^2", "How it pushes.");
  d("density", p.density, "kg/m^D", at_least(0), "Smoke that it holds; default: it does not.");
  d("temperature", p.temperature, "K", any(), "Warmth that it holds; default: it does not.");
  d("dyes", p.dyes, "", any(), "Dyes that it holds, in the stage's order; none: it does not.");
  d("velocity", p.velocity, "m/s", any(),
    "Velocity that it holds, an entry for each axis; none: it does not.");
  if (d.dim() != 0 && !p.velocity.empty() && int(p.velocity.size()) != d.dim())
    d.fault("velocity", fmt::format("has {} entries; {} are needed", p.velocity.size(), d.dim()));
}

namespace {

// Lists of dyes have an entry for each dye, or none.
void check_dyes(Describe& d, const char* key, std::size_t index, const char* what,
                std::size_t entries, std::size_t dyes) {
  if (entries != 0 && entries != dyes)
    d.fault(key, fmt::format("entry {}: \"{}\" has {} values; the stage has {} \"dyes\"", index,
                             what, entries, dyes));
}

}  // namespace

void describe(Describe& d, SmokeParams& p) {
  describe(d, p.flow);
  d("dyes", p.dyes, "Names of columns of the grid that the flow carries along.");
  d("weight", p.weight, "m^D/kg", any(),
    "How much smoke pulls down: a density s gives gravity times weight s. Default: 1 / "
    "rest_density.");
  d("thermal_expansion", p.thermal_expansion, "1/K", at_least(0),
    "How much warmth lifts: a temperature T gives minus gravity times expansion T. Default: air.");
  d("vorticity_confinement", p.vorticity_confinement, "1/s", at_least(0),
    "Strength of a force that keeps swirls of the size of cells alive; 0: none. It feeds them at "
    "about this rate, for ever where nothing damps them; a tenth of speed over spacing shows.");
  d("density_diffusivity", p.density_diffusivity, "m^2/s", at_least(0), "Of smoke.");
  d("temperature_diffusivity", p.temperature_diffusivity, "m^2/s", at_least(0), "Of warmth.");
  d("dye_diffusivity", p.dye_diffusivity, "m^2/s", at_least(0), "Of every dye.");
  d("density_decay", p.density_decay, "1/s", at_least(0), "Smoke falls by exp(-decay time).");
  d("temperature_decay", p.temperature_decay, "1/s", at_least(0), "So does warmth.");
  d("dye_decay", p.dye_decay, "1/s", at_least(0), "So does every dye.");
  d.list("initial", p.initial, "What the grid holds at the start, one after the other.");
  d.list("sources", p.sources, "What is put in as time goes on, one after the other.");
  for (std::size_t i = 0; i < p.initial.size(); ++i)
    check_dyes(d, "initial", i, "dyes", p.initial[i].dyes.size(), p.dyes.size());
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    check_dyes(d, "sources", i, "dyes", p.sources[i].dyes.size(), p.dyes.size());
    check_dyes(d, "sources", i, "dye_rates", p.sources[i].dye_rates.size(), p.dyes.size());
  }
  for (const auto& axis : p.flow.boundary_conditions.side)
    for (const BoundaryConditionSpec& s : axis)
      if (s.temperature && s.kind != mac::BoundaryCondition::inflow &&
          p.temperature_diffusivity == 0)
        d.fault(
            "sides",
            "a wall warms what is beside it by \"temperature_diffusivity\", which is 0; give it");
  for (std::size_t i = 0; i < 6; ++i)
    check_dyes(d, "sides", i, "dyes", p.flow.boundary_conditions.side[i / 2][i % 2].dyes.size(),
               p.dyes.size());
}

}  // namespace rtsim
