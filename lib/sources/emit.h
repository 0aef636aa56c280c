#pragma once
#include <optional>
#include <vector>

#include "shapes/deforming_mesh.h"
#include "shapes/shape.h"
#include "stage/stage_type.h"

namespace rtsim {

// A time in which particles leave.
struct EmitWindow {
  double start = 0;            // [s]
  std::optional<double> stop;  // [s]; the end of the run unless given
};

struct EmitParams {
  enum class Pattern { layers, fill, random };

  ObjectName fluid;
  std::optional<ShapeSpec> shape;  // required
  Vec3d velocity;                  // [m/s] out of the shape
  Pattern pattern = Pattern::layers;
  std::optional<double> guide;  // [m], layers
  double per_second = 0;        // [1/s], random
  std::vector<EmitWindow> schedule;
  MotionSpec motion;
  std::optional<DeformationSpec> deformation;
  int max_particles = 100000;
};

void describe(Describe&, EmitWindow&);
void describe(Describe&, EmitParams&);
RowBudget row_budget(const EmitParams&);

StageType emit_type();

}  // namespace rtsim
