#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "param/describe.h"

namespace rtsim {

// "a number >= 0 N s/m": what a value must be, for messages.
std::string must_be(const Field&, const Describe::Value&, int dim);

// Whether null means the same as leaving the key out.
bool holds_null(const Describe::Value&);

// Reads one value; where it does not fit, returns why and leaves the target as it was.
std::string read_value(const nlohmann::json&, const Field&, const Describe::Value&, int dim);

}  // namespace rtsim
