#pragma once
#include <filesystem>

#include "sim/records/manifest.h"

namespace rtsim {

// What a run says of itself now. One that was killed cannot say so in its manifest, but nobody
// holds its lock any more: its status is "killed", or "running or killed" where that cannot be
// looked at.
Manifest manifest_now(const std::filesystem::path& run_folder);

// Returns once no process works on the run; looks several times a second.
Manifest wait_for_end(const std::filesystem::path& run_folder);

}  // namespace rtsim
