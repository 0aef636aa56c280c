#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "commands.h"
#include "scene_folder.h"
#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/expect/expect.h"
#include "sim/run.h"

namespace rtsim {
namespace {

using Json = nlohmann::ordered_json;

// A line of the text is a problem.
Json verdict(const std::string& scene, const std::string& text) {
  Json problems = Json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) problems.push_back(line);
  return {{"scene", scene}, {"good", problems.empty()}, {"problems", std::move(problems)}};
}

}  // namespace

// Every problem of every scene, not only the first: one wants to mend them in one go.
ExitCode check_command(const CheckFlags& f) {
  const std::vector<StageType> catalog = stage_catalog();
  ExitCode code = ExitCode::done;
  Json all = Json::array();
  for (const std::string& file : f.scenes) {
    try {
      const Scene scene = read_scene(scene_file(file), f.set, catalog);
      Simulation sim = build(scene, make_exec("cpu", 0));
      check_expectations_early(scene, sim);
      if (f.json) {
        all.push_back(verdict(file, ""));
        if (!sim.warnings.empty()) all.back()["warnings"] = sim.warnings;
        continue;
      }
      fmt::print("{}: good\n", file);
      for (const std::string& warning : sim.warnings) fmt::print("{}: {}\n", file, warning);
    } catch (const Error& e) {
      if (e.code() != ExitCode::bad_input) throw;
      f.json ? all.push_back(verdict(file, e.what())) : print_error(e);
      code = ExitCode::bad_input;
    }
  }
  if (f.json) fmt::print("{}\n", all.dump(2));
  return code;
}

}  // namespace rtsim
