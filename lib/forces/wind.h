#pragma once
#include <optional>

#include "stage/stage_type.h"

namespace rtsim {

// The wind from a time on, changing evenly to the next.
struct WindKey {
  double time = 0;  // [s]
  Vec3d velocity;   // [m/s]
};

struct WindParams {
  ObjectName mesh;
  Vec3d velocity;                 // [m/s]
  std::vector<WindKey> schedule;  // instead of the velocity
  double viscous = 0;             // eta [kg/(m^2 s)]
  double drag = 1.2, lift = 0;    // c_d, c_l
  double density = 1.2;           // of the air [kg/m^3]
  double gust_speed = 0;          // [m/s]
  double gust_length = 1;         // [m]
  double start = 0;               // [s]
  std::optional<double> end;      // [s]
};

void describe(Describe&, WindKey&);
void describe(Describe&, WindParams&);

// The mean wind at a time, and how far it has gone since time 0.
struct MeanWind {
  Vec3d velocity;   // [m/s]
  Vec3d travelled;  // [m]
};
MeanWind mean_wind(const WindParams&, double time);

StageType wind_type();

}  // namespace rtsim
