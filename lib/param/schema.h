#pragma once
#include <nlohmann/json_fwd.hpp>

#include "param/describe.h"

namespace rtsim {

// JSON Schema (2020-12) of the object whose parameters `walk` visits. Types with a name become
// members of `definitions`, unless they are there already, and are referred to as #/$defs/name.
nlohmann::ordered_json schema_of(const Describe::Walk& walk, nlohmann::ordered_json& definitions);

}  // namespace rtsim
