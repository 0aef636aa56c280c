#pragma once
#include <string>

namespace rtsim {

// The limits of a stage whose solver keeps the density by pressure: its own, and those that all of
// them share.
std::string density_limits(const std::string& stage, const std::string& own);

}  // namespace rtsim
