#include "sim/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "foam_scene.h"
#include "scene_folder.h"
#include "sim/catalog.h"
#include "sim/expect/expect.h"
#include "sim/expect/expect_order.h"
#include "sim/interrupt.h"
#include "sim/records/branch.h"
#include "units.h"

namespace rtsim {
namespace {

// configs/wcsph/dam_break.json goes to runs/wcsph-dam_break.
std::filesystem::path default_folder(const std::filesystem::path& scene) {
  const std::filesystem::path file = std::filesystem::absolute(scene).lexically_normal();
  const std::string parent = file.parent_path().filename().string();
  const std::string stem = file.stem().string();
  return std::filesystem::path("runs") / (parent.empty() ? stem : parent + "-" + stem);
}

RunOptions::Resume resume_mode(const std::string& text) {
  if (text.empty()) return RunOptions::Resume::no;
  if (text == "yes") return RunOptions::Resume::yes;
  if (text == "auto") return RunOptions::Resume::if_possible;
  throw Error(ExitCode::usage, fmt::format("--resume={}: write --resume, or --resume=auto to start "
                                           "afresh where there is no checkpoint",
                                           text));
}

RunOptions options(const RunFlags& f, const std::filesystem::path& folder) {
  RunOptions o;
  o.folder = folder;
  o.device = f.device, o.threads = f.threads;
  o.overwrite = f.overwrite, o.resume = resume_mode(f.resume);
  o.allow_different_build = f.allow_different_build, o.allow_damage = f.allow_damage;
  o.ignore_free_space = f.ignore_free_space;
  if (!f.time_limit.empty()) o.time_limit = parse_duration(f.time_limit);
  o.profile = f.profile, o.quiet = f.quiet;
  o.command_line = f.command_line;
  return o;
}

std::string verdict_line(const ExpectResult& r) {
  const char* passed = r.passed ? "pass" : "FAIL";
  if (r.at_least)
    return fmt::format("{}  {}: {:.4g}, at least {:.4g}  ({})\n", passed, r.what, r.measured,
                       r.expected, r.source);
  const double scale = r.relative ? 100 : 1;
  const char* unit = r.relative ? " %" : "";
  return fmt::format("{}  {}: {:.6g}, expected {:.6g}; off by {:.3g}{} of {:.3g}{} allowed  ({})\n",
                     passed, r.what, r.measured, r.expected, scale * r.difference, unit,
                     scale * r.tolerance, unit, r.source);
}

ExitCode report_expectations(const Scene& scene, const std::filesystem::path& folder) {
  const std::vector<ExpectResult> results = check_expectations(scene, folder);
  for (const ExpectResult& r : results) fmt::print("{}", verdict_line(r));
  return std::ranges::all_of(results, &ExpectResult::passed) ? ExitCode::done : ExitCode::different;
}

ExitCode simulate(const Scene& scene, const RunFlags& f, const RunOptions& o) {
  if (f.expect && scene.expect.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no \"expect\" block, which --expect holds the result against",
                            scene.source.name));
  ExitCode code = run_scene(scene, o);
  if (code == ExitCode::done && f.expect) code = run_orders(scene, o);
  if (code == ExitCode::interrupted && !o.quiet)
    fmt::print(stderr, "rtsim: interrupted after a checkpoint; go on with `rtsim resume {}`\n",
               o.folder.string());
  return code == ExitCode::done && f.expect ? report_expectations(scene, o.folder) : code;
}

// The one thing that a resumed run may change.
void only_the_end_time(const std::vector<std::string>& overrides) {
  for (const std::string& o : overrides)
    if (!o.starts_with("/time/frames=") && !o.starts_with("/time/duration="))
      throw Error(
          ExitCode::usage,
          fmt::format(
              "resume --set {}: only /time/frames or /time/duration may change in a resumed run; "
              "start another with `rtsim run`",
              o));
}

// The scene has one end: a new one in the other unit takes its place.
std::vector<std::string> with_one_end(std::vector<std::string> overrides) {
  const auto sets = [&](const char* pointer) {
    return std::ranges::any_of(overrides,
                               [&](const std::string& o) { return o.starts_with(pointer); });
  };
  const bool frames = sets("/time/frames="), duration = sets("/time/duration=");
  if (frames && !duration) overrides.insert(overrides.begin(), "/time/duration=null");
  if (duration && !frames) overrides.insert(overrides.begin(), "/time/frames=null");
  return overrides;
}

}  // namespace

ExitCode run_command(const RunFlags& f) {
  catch_signals();
  const RunOptions o =
      options(f, f.folder.empty() ? default_folder(f.scene) : std::filesystem::path(f.folder));
  return simulate(read_scene(scene_file(f.scene), f.set, stage_catalog()), f, o);
}

ExitCode resume_command(const RunFlags& f) {
  catch_signals();
  only_the_end_time(f.set);
  const std::filesystem::path folder = f.folder;
  RunOptions o = options(f, folder);
  o.resume = RunOptions::Resume::yes;
  Scene scene = scene_of_run(folder);
  if (!f.set.empty()) scene = read_scene(scene.file, with_one_end(f.set), stage_catalog());
  return simulate(scene, f, o);
}

ExitCode branch_command(const RunFlags& f) {
  catch_signals();
  auto branch = std::make_shared<Branch>(find_branch(f.scene));
  std::error_code not_there;
  if (std::filesystem::equivalent(branch->folder, f.folder, not_there))
    throw Error(ExitCode::usage, f.folder + ": a branch goes into another folder than its parent");
  const Scene scene =
      read_scene(branch->folder / "scene.resolved.json", with_one_end(f.set), stage_catalog());
  compare_scenes(*branch, scene);
  RunOptions o = options(f, f.folder);
  o.branch = branch;
  return simulate(scene, f, o);
}

ExitCode foam_command(const RunFlags& f, const std::string& liquid) {
  catch_signals();
  std::error_code not_there;
  if (std::filesystem::equivalent(f.scene, f.folder, not_there))
    throw Error(ExitCode::usage, f.folder + ": foam goes into another folder than its liquid");
  const Scene scene = foam_scene(f.scene, liquid, f.set);
  return simulate(scene, f, options(f, f.folder));
}

}  // namespace rtsim
