#pragma once
#include <optional>
#include <string>

#include "param/describe.h"

namespace rtsim {

constexpr int scene_version = 1;

// A problem unless exactly one of the two keys is given; false then.
bool require_one(Describe&, const char* a, const char* b);

// All of the text as a finite number.
std::optional<double> parse_number(const std::string& text);

}  // namespace rtsim
