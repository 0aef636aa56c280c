#pragma once
#include <string>
#include <vector>

#include "shapes/motion.h"
#include "stage/stage.h"

namespace rtsim {

struct MovingBoundary {
  std::string boundary;
  MotionSpec motion;
  std::vector<std::string> samples;  // tables
};

// Puts the samples of moving boundaries, and their poses where a stage asked for them, where they
// are at the end of the step. Build inserts it in front of the scene's own stages.
std::unique_ptr<Stage> make_boundary_motion(std::vector<MovingBoundary>);

}  // namespace rtsim
