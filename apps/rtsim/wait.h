#pragma once
#include <filesystem>

namespace rtsim {

// Whether a process works on a run, or on a case of a sweep, or Slurm has one in its queue.
bool goes_on(const std::filesystem::path& folder);

}  // namespace rtsim
