#pragma once
#include <vector>

#include "grids/grid_flow.h"
#include "grids/grid_place.h"
#include "grids/schedule.h"
#include "stage/stage_type.h"

namespace rtsim {

// What is added to the still air at the start.
struct CloudsFill {
  PlaceSpec place;
  double temperature = 0;  // potential [K]
  double vapour = 0;       // [kg/kg]
};

struct CloudsSource {
  PlaceSpec place;
  std::vector<TimeWindow> schedule;
  double temperature_rate = 0;  // potential [K/s]
  double vapour_rate = 0;       // [1/s]
};

struct CloudsParams {
  GridFlowParams flow;
  double ground_temperature = 290;  // [K]
  double ground_pressure = 1e5;     // [Pa]
  double lapse_rate = 0.0065;       // [K/m]
  double relative_humidity = 0.7;
  double vorticity_confinement = 0;  // [1/s]
  std::vector<CloudsFill> initial;
  std::vector<CloudsSource> sources;
};

void describe(Describe&, CloudsFill&);
void describe(Describe&, CloudsSource&);
void describe(Describe&, CloudsParams&);
double row_bytes(const CloudsParams&, const GridShape&);

StageType clouds_type();

}  // namespace rtsim
