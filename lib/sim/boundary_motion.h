#pragma once
#include <string>
#include <vector>

#include "shapes/motion.h"
#include "stage/stage.h"

namespace rtsim {

// Puts the samples of moving boundaries, and their poses where a stage asked for them, where they
// are at the end of the step. Build inserts it in
// front of the scene's own stages.
struct MovingSamples {
  std::string boundary;
  std::string table;
  MotionSpec motion;
};
std::unique_ptr<Stage> make_boundary_motion(std::vector<MovingSamples>);

}  // namespace rtsim
