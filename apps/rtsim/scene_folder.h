#pragma once
#include <filesystem>

namespace rtsim {

// Where the shipped scenes are, `configs`: beside the installed binary, or above the build folder
// that it stands in. Throws Error{bad_input} where there are none.
std::filesystem::path scene_folder();

}  // namespace rtsim
