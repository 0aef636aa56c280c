#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace rtsim {

// An array that was submitted: its tasks 0..count-1 are the lines from `first` of a list of cases.
struct SlurmArray {
  std::string job;
  std::string list;  // from the sweep folder
  long first = 0, count = 0;
};
void add_array(const std::filesystem::path& sweep_folder, const SlurmArray&);
std::vector<SlurmArray> read_arrays(const std::filesystem::path& sweep_folder);

// The lines of a list of cases.
std::vector<std::string> read_lines(const std::filesystem::path&);

// The cases of a sweep that Slurm has, waiting or running; none where none were submitted. Throws
// Error{io} where squeue cannot be asked.
std::set<std::string> queued_cases(const std::filesystem::path& sweep_folder);

}  // namespace rtsim
