#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/scene.h"

namespace rtsim {

// The scene of foam behind a liquid of particles of a finished run: stage "foam" goes over the
// run's frames, between the boundaries that the liquid had and the sides of its grid. `liquid`: its
// name; empty where the run has frames of one alone. `overrides` as read_scene has them.
Scene foam_scene(const std::filesystem::path& run, const std::string& liquid,
                 const std::vector<std::string>& overrides);

}  // namespace rtsim
