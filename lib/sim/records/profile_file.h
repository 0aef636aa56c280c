#pragma once
#include <filesystem>
#include <string>

#include "exec/profile.h"

namespace rtsim {

// Wall-clock figures of a whole run.
struct RunCost {
  double wall;  // [s]
  long steps;
  double rows;            // simulated, for rates
  double pairs;           // neighbours of all rows in a step, the mean over rows of the series
  double writer_seconds;  // [s] the writer's thread was busy
  std::uint64_t writer_bytes;
  std::size_t peak_bytes;  // of simulation memory
};

// profile.json: the cost and a row a launch label; trace.json beside it, in Chrome's trace format,
// where the profile kept launches: "otherData" says how many it left out.
void write_profile_file(const std::filesystem::path& run_folder, const Profile&, const RunCost&);

// The rows as a table, the largest share first.
std::string profile_table(const Profile&, double wall);

}  // namespace rtsim
