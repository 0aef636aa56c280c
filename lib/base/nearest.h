#pragma once
#include <span>
#include <string>
#include <string_view>

namespace rtsim {

// `; did you mean "stiffness"?` when a known name is at most two edits away (Levenshtein distance),
// else an empty string. Every message about an unknown name ends with this.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace rtsim
