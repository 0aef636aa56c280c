#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/build/build.h"
#include "sim/scene.h"

namespace rtsim {

// One expectation held against a finished run.
struct ExpectResult {
  std::string what;  // "curve wcsph.water.front, max norm"
  double expected;   // at the worst place
  double measured;
  double difference;  // in the tolerance's sense: relative or absolute
  double tolerance;
  bool relative;
  bool at_least = false;  // an order: `expected` is the least, and there is no tolerance
  bool passed;
  std::string source;
};

// Before the run: series, curve files, objects and columns that the expectations name but the run
// will not have. Throws Error{bad_input} with every problem and its place. Measures once, so the
// derived columns are those of the start afterwards.
void check_expectations_early(const Scene&, Simulation&);

// Reads series.csv and the last frame of a run folder, and of the sub-runs of orders, which are
// there; writes expect.json beside them.
std::vector<ExpectResult> check_expectations(const Scene&, const std::filesystem::path& run_folder);

}  // namespace rtsim
