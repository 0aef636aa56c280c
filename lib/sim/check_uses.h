#pragma once
#include <string>
#include <vector>

#include "sim/build/build.h"

namespace rtsim {

// What is wrong with how the stages share columns: two that write one, or a force on bodies that no
// stage behind takes up.
std::vector<std::string> check_uses(const Simulation&);

}  // namespace rtsim
