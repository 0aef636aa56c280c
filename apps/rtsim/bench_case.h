#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "exec/exec.h"

namespace rtsim {

// configs/bench/<name>.json: { "scene": "../wcsph/dam_break.json", "steps": 20, "warmup": 5,
//   "cases": [ { "name": "20k", "set": ["/objects/0/spacing=0.02"] }, ... ] }; a case may name a
//   scene of its own.
struct BenchCase {
  std::string name;  // "wcsph/20k"
  std::filesystem::path scene;
  std::vector<std::string> set;
  int steps = 20, warmup = 5;
};

// The cases that the names select: "wcsph", "wcsph/20k", or a file. Without names, those of
// card.json on a card, all others on the CPU.
std::vector<BenchCase> find_cases(const std::vector<std::string>& names, Backend backend);

struct LabelTime {
  std::string label;
  double ns_per_row_step;
  double share;  // of the step
};

// What one case cost with one thread count. Times are medians over the steps.
struct BenchResult {
  std::string name;
  int threads;
  long rows;  // of moving objects
  double seconds_per_step, seconds_per_step_with_series;
  double neighbour_share;
  double bytes_per_row;  // at the peak, world and scratch
  std::vector<LabelTime> labels;

  double ns_per_row_step() const { return 1e9 * seconds_per_step / double(rows); }
  double million_rows_per_second() const { return 1e-6 * double(rows) / seconds_per_step; }
};
BenchResult time_case(const BenchCase&, const std::string& device, int threads);

// Two facts about the machine to hold the figures against.
struct MachineResult {
  int threads;
  double empty_launch_us;
  double triad_gb_per_second;
};
MachineResult time_machine(const std::string& device, int threads);

}  // namespace rtsim
