#pragma once
#include <string>
#include <vector>

#include "deformables/mesh_samples.h"
#include "stage/stage.h"

namespace rtsim {

struct SampledBodies {
  std::string bodies;
  std::vector<std::string> samples;  // tables
};

// Puts the samples of bodies and meshes where these are at the start of the step, a step behind
// what will have become of them by its end. Build inserts it in front of the scene's own stages.
std::unique_ptr<Stage> make_body_motion(std::vector<SampledBodies>, std::vector<MeshSamples>);

}  // namespace rtsim
