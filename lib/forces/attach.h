#pragma once
#include <optional>

#include "bodies/body_tie.h"
#include "shapes/shape.h"
#include "stage/stage_type.h"

namespace rtsim {

// A force on all points together, constant or by times.
struct PointLoad {
  Vec3d force;                         // [N]
  std::vector<double> times, factors;  // [s], of the force
  FileName file;                       // in place of these
};

struct AttachParams {
  ObjectName mesh;
  std::vector<double> points;       // by number
  std::vector<Vec3d> nearest;       // [m], the point of the mesh that is nearest to each
  std::vector<ShapeSpec> inside;    // all within any of these
  MotionSpec motion;                // of the handle
  double start = 0;                 // [s]
  std::optional<double> end;        // [s]
  std::optional<double> stiffness;  // [N/m]; none: held
  double damping = 0;               // [N s/m]
  std::optional<PointLoad> load;    // in place of holding, as is
  std::optional<TieSpec> tie;
};

void describe(Describe&, AttachParams&);

StageType attach_type();

}  // namespace rtsim
