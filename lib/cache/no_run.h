#pragma once
#include <filesystem>
#include <string>

#include "base/error.h"

namespace rtsim {

// Why a folder that lacks `what` is no run, and where runs are if it is a sweep: Error{bad_input}.
Error no_run(const std::filesystem::path& folder, const std::string& what = "no run.json");

}  // namespace rtsim
