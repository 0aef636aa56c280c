#pragma once
#include <optional>
#include <string>
#include <vector>

#include "shallow_water/edges.h"
#include "solvers/shallow_water/shallow_water_hydrograph.h"
#include "stage/stage_type.h"

namespace rtsim {

// What happens at one side of the domain.
struct WaterEdge {
  shallow_water::EdgeType type = shallow_water::EdgeType::reflecting;
  double discharge = 0;         // [m^2/s] of inflow
  std::optional<double> level;  // [m] of level
  std::optional<HydrographSpec> hydrograph;
  double layer = 0;                // [m] of absorbing
  std::optional<double> from, to;  // [m] along the edge
};

struct WaterSource {
  Vec3d at;
  double radius = 0;     // [m]
  double discharge = 0;  // [m^3/s]
  double start = 0;      // [s]
  std::optional<double> end;
};

struct WaterProbe {
  std::string name;
  Vec3d at;
};

enum class WaterScheme { finite_volumes, traced };

struct ShallowWaterParams {
  ObjectName water;
  ObjectNames boundary;
  WaterScheme scheme = WaterScheme::finite_volumes;
  double density = 1000;  // [kg/m^3]
  Vec3d velocity;         // [m/s] of all water at the start
  double manning = 0;     // [s/m^(1/3)]
  double rain = 0;        // [m/s]
  WaterEdge edges[4];     // x_min, x_max, z_min, z_max
  std::vector<WaterSource> sources;
  std::vector<WaterProbe> probes;
  std::optional<double> dry_depth;  // [m]
  double wet_depth = 1e-3;          // [m]
  std::optional<int> substeps;
  double courant = 0.36;
};

void describe(Describe&, ShallowWaterParams&);
double row_bytes(const ShallowWaterParams&, const GridShape&);

StageType shallow_water_type();

}  // namespace rtsim
