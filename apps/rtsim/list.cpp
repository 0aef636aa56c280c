#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "sim/catalog.h"

namespace rtsim {

ExitCode list_command(bool json) {
  const std::vector<StageType> catalog = stage_catalog();
  if (json) {
    auto all = nlohmann::ordered_json::array();
    for (const StageType& t : catalog)
      all.push_back(nlohmann::ordered_json{{"name", t.name},
                                           {"summary", t.summary},
                                           {"source", t.source},
                                           {"limits", t.limits},
                                           {"page", t.page}});
    fmt::print("{}\n", all.dump(2));
    return ExitCode::done;
  }
  std::size_t width = 0;
  for (const StageType& t : catalog) width = std::max(width, t.name.size());
  for (const StageType& t : catalog) fmt::print("{:{}}  {}\n", t.name, width, t.summary);
  return ExitCode::done;
}

}  // namespace rtsim
