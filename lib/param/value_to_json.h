#pragma once
#include <nlohmann/json_fwd.hpp>

#include "param/describe.h"

namespace rtsim {

// A value as the scene would write it; vectors have `dim` entries (0: three), an empty optional is
// null.
nlohmann::ordered_json value_json(const Describe::Value&, int dim);

}  // namespace rtsim
