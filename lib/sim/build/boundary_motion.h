#pragma once
#include <memory>
#include <string>
#include <vector>

#include "shapes/motion.h"
#include "sim/build/deforming_boundary.h"
#include "stage/stage.h"

namespace rtsim {

struct MovingBoundary {
  std::string boundary;
  MotionSpec motion;
  std::shared_ptr<const AnimatedShape> deformation;  // none: it is rigid
  std::vector<SampledFor> samples;
};

// Puts the samples of moving boundaries, and their poses where a stage asked for them, where they
// are at the end of the step, and the corners of those that deform. Build inserts it in front of
// the scene's own stages, whose steps are of dt.
std::unique_ptr<Stage> make_boundary_motion(World&, std::vector<MovingBoundary>, double dt);

}  // namespace rtsim
