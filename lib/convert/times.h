#pragma once
#include <filesystem>

namespace rtsim {

// cache/<object>.<ending>.series beside the frames of each object, from frames.jsonl: the numbered
// files with their times, which ParaView opens as one.
void write_times(const std::filesystem::path& folder);

}  // namespace rtsim
