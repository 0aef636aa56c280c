#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grids/grid_flow.h"
#include "grids/grid_place.h"
#include "grids/schedule.h"
#include "stage/stage_type.h"

namespace rtsim {

// What fills a place at the start.
struct SmokeFill {
  PlaceSpec place;
  double density = 0;        // [kg/m^D]
  double temperature = 0;    // [K] at the origin
  Vec3d temperature_slope;   // [K/m]
  std::vector<double> dyes;  // [1]
};

// What goes into a place as time goes on.
struct SmokeSource {
  PlaceSpec place;
  std::vector<TimeWindow> schedule;
  double density_rate = 0;             // [kg/(m^D s)]
  double temperature_rate = 0;         // [K/s]
  std::vector<double> dye_rates;       // [1/s]
  Vec3d acceleration;                  // [m/s^2]
  std::optional<double> density;       // [kg/m^D] held
  std::optional<double> temperature;   // [K] held
  std::vector<double> dyes, velocity;  // [1], [m/s] held
};

struct SmokeParams {
  GridFlowParams flow;
  std::vector<std::string> dyes;
  std::optional<double> weight;                                                      // [m^D/kg]
  double thermal_expansion = 1 / 293.;                                               // [1/K]
  double vorticity_confinement = 0;                                                  // [1/s]
  double density_diffusivity = 0, temperature_diffusivity = 0, dye_diffusivity = 0;  // [m^2/s]
  double density_decay = 0, temperature_decay = 0, dye_decay = 0;                    // [1/s]
  std::vector<SmokeFill> initial;
  std::vector<SmokeSource> sources;
};

void describe(Describe&, SmokeFill&);
void describe(Describe&, SmokeSource&);
void describe(Describe&, SmokeParams&);
double row_bytes(const SmokeParams&, const GridShape&);

StageType smoke_type();

}  // namespace rtsim
