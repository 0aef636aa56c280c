#include "cache/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "sim/records/run_folder.h"
#include "units.h"

namespace rtsim {

ExitCode verify_command(const std::filesystem::path& run_folder, bool json) {
  if (!std::filesystem::is_directory(run_folder))
    throw Error(ExitCode::io, fmt::format("{}: no such folder", run_folder.string()));
  Verdict v = verify_run(run_folder);
  std::ranges::copy(origin_problems(run_folder, v.frames), std::back_inserter(v.problems));
  if (json) {
    const nlohmann::ordered_json j = {{"frames", v.frames},
                                      {"files", v.files},
                                      {"checkpoints", v.checkpoints},
                                      {"bytes", v.bytes},
                                      {"problems", v.problems}};
    fmt::print("{}\n", j.dump(2));
  } else {
    for (const std::string& p : v.problems) fmt::print("{}\n", p);
    fmt::print("{} frames, {} files, {} checkpoints, {}: {}\n", v.frames, v.files, v.checkpoints,
               bytes_text(double(v.bytes)),
               v.problems.empty() ? "all whole" : fmt::format("{} problems", v.problems.size()));
  }
  return v.problems.empty() ? ExitCode::done : ExitCode::different;
}

}  // namespace rtsim
