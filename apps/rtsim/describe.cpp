#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "commands.h"
#include "sim/catalog.h"
#include "sim/scene.h"
#include "sweep/sweep_docs.h"

namespace rtsim {

ExitCode describe_command(const std::string& type, bool json) {
  const std::vector<StageType> catalog = stage_catalog();
  const auto found = std::ranges::find(catalog, type, &StageType::name);
  if (found == catalog.end()) {
    std::vector<std::string> known;
    for (const StageType& t : catalog) known.emplace_back(t.name);
    throw Error(ExitCode::usage, fmt::format("no stage type \"{}\"{}; `rtsim list` names them all",
                                             type, did_you_mean(type, known)));
  }
  fmt::print("{}\n", json ? describe_stage_json(*found) : describe_stage(*found));
  return ExitCode::done;
}

ExitCode schema_command(bool of_sweeps) {
  fmt::print("{}\n", of_sweeps ? sweep_schema() : scene_schema(stage_catalog()));
  return ExitCode::done;
}

ExitCode manual_command() {
  fmt::print("{}{}\n", manual(stage_catalog()), sweep_manual());
  return ExitCode::done;
}

}  // namespace rtsim
