#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "param/describe.h"

namespace rtsim {

// The values that `walk` visits, in its order, with every default filled in. Reading the result
// gives the same values again. `file_text` is what stands for a file's path.
nlohmann::ordered_json resolved_json(
    const Describe::Walk& walk, int dim,
    const std::function<std::string(const std::string& path)>& file_text);

}  // namespace rtsim
