#pragma once
#include <filesystem>

namespace rtsim {

// Where the shipped scenes are, `configs`: beside the installed binary, or above the build folder
// that it stands in. Throws Error{bad_input} where there are none.
std::filesystem::path scene_folder();

// The file of this name; where there is none, the shipped scene of it, as
// configs/wcsph/dam_break.json.
std::filesystem::path scene_file(const std::filesystem::path& given);

}  // namespace rtsim
