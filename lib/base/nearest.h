#pragma once
#include <span>
#include <string>
#include <string_view>

namespace rtsim {

// `; did you mean "stiffness"?` when a known name is near: with at most one edit for every three
// letters of the longer of the two, so that of three letters two are right. Else an empty string:
// a name that looks alike is worse than none. Every message about an unknown name ends with this.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace rtsim
