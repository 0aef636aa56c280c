#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cache/checkpoint.h"

namespace rtsim {

// What is wrong with the frames, logs and checkpoints of a run folder, a line each, naming the
// file: a file that is missing, short, or whose checksum differs; a torn line in frames.jsonl; a
// frame number left out; a row of series.csv that is cut; a log that is not what a checkpoint saw.
// Empty: all is whole.
struct Verdict {
  long frames = 0;
  long files = 0;
  long checkpoints = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> problems;
};
Verdict verify_run(const std::filesystem::path& run_folder);

// The same of what a checkpoint saw, and of nothing later: all that a resume from it keeps.
std::vector<std::string> damage_before(const std::filesystem::path& run_folder, const Progress&);

}  // namespace rtsim
