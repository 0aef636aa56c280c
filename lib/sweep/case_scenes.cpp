#include <fmt/format.h>

#include <set>
#include <sstream>

#include "sim/build/build.h"
#include "sweep/sweep.h"

namespace rtsim {
namespace {

// What the scene's reader says of a value, at the place in the sweep file that gave the value.
Problem in_sweep(const SweepCase& c, const std::string& line) {
  for (std::size_t k = 0; k < c.set.size(); ++k)
    if (line.starts_with("--set " + c.set[k]))
      return {c.at[k], fmt::format("sets {}", line.substr(std::string("--set ").size()))};
  return {"/scene", fmt::format("in case {}: {}", c.name, line)};
}

// Whatever is wrong with the base is wrong in every case: the first says it.
void add_problems(const SweepCase& c, const std::string& text,
                  std::set<std::pair<std::string, std::string>>& known,
                  std::vector<Problem>& problems) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Problem p = in_sweep(c, line);
    if (known.insert({p.pointer, p.pointer == "/scene" ? line : p.message}).second)
      problems.push_back(p);
  }
}

CaseScene case_scene(const Scene& scene) {
  const long frames = scene.time.frame_count();
  double bytes = 0;
  for (const ObjectEstimate& o : estimate(scene)) bytes += o.bytes;
  return {scene.resolved, scene.identity, frames + 1, frames * scene.time.steps_per_frame, bytes};
}

}  // namespace

std::vector<CaseScene> case_scenes(const Sweep& sweep, const std::vector<StageType>& catalog) {
  std::vector<CaseScene> scenes;
  std::vector<Problem> problems;
  std::set<std::pair<std::string, std::string>> known;
  for (const SweepCase& c : sweep.cases) {
    try {
      scenes.push_back(case_scene(read_scene(sweep.scene, c.set, catalog)));
    } catch (const Error& e) {
      if (e.code() != ExitCode::bad_input) throw;
      add_problems(c, e.what(), known, problems);
    }
  }
  if (!problems.empty()) throw Error(ExitCode::bad_input, sweep.source.lines(problems));
  return scenes;
}

}  // namespace rtsim
