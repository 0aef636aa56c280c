#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cache/commits.h"
#include "cache/lock.h"
#include "commands.h"
#include "sim/records/event_log.h"
#include "sim/records/manifest.h"
#include "units.h"

namespace rtsim {
namespace {

double bytes_of(const std::vector<CommittedFrame>& frames) {
  double bytes = 0;
  for (const CommittedFrame& f : frames)
    for (const WrittenFile& w : f.files) bytes += double(w.bytes);
  return bytes;
}

// A run that is killed cannot say so in its manifest, but nobody holds its lock any more.
std::string state_of_lock(const std::filesystem::path& run_folder) {
  if (!std::filesystem::exists(run_folder / ".lock")) return "killed";
  try {
    const FolderLock nobody_else(run_folder);
    return "killed";
  } catch (const Error& e) {
    return e.code() == ExitCode::output_exists ? "running" : "running or killed";  // read-only
  }
}

// Read again once the lock was tried: a run may end in between.
Manifest manifest_now(const std::filesystem::path& run_folder) {
  Manifest m = read_manifest(run_folder);
  if (m.status != "running") return m;
  const std::string state = state_of_lock(run_folder);
  m = read_manifest(run_folder);
  if (m.status == "running") m.status = state;
  return m;
}

void print_outcome(const Manifest& m) {
  fmt::print("status   {}", m.status);
  if (m.exit_code >= 0) fmt::print(", exit code {}", m.exit_code);
  fmt::print("\n");
  if (!m.message.empty()) fmt::print("message  {}\n", m.message);
}

void print_text(const Manifest& m, const std::vector<CommittedFrame>& frames,
                const std::vector<LoggedWarning>& warnings) {
  fmt::print("scene    {}\n", m.scene_file);
  print_outcome(m);
  fmt::print("warnings {}\n", warnings.size());
  for (const LoggedWarning& w : warnings) fmt::print("         {}\n", w.message);
  fmt::print("frames   {}, {}\n", frames.size(), bytes_text(bytes_of(frames)));
  if (!frames.empty())
    fmt::print("reached  frame {}, step {}, t = {:.6g} s\n", frames.back().frame,
               frames.back().step, frames.back().time);
  fmt::print("started  {} by {} on {}\n", m.started, m.user, m.host);
  if (!m.ended.empty()) fmt::print("ended    {}\n", m.ended);
  fmt::print("took     {}\n", duration_text(m.wall_seconds));
  for (const Manifest::Restart& r : m.restarts)
    fmt::print("resumed  {} on {} from step {} with {} {}\n", r.when, r.host, r.step,
               r.build.version, r.build.commit);
  fmt::print("device   {}, {} threads\n", m.device, m.threads);
  fmt::print("build    {} {}, {}, {}\n", m.build.version, m.build.commit, m.build.compiler,
             m.build.precision);
  fmt::print("command  {}\n", fmt::join(m.command_line, " "));
  for (const auto& [path, xxh3] : m.assets) fmt::print("asset    {} {}\n", xxh3, path);
}

}  // namespace

ExitCode info_command(const std::filesystem::path& run_folder, bool json) {
  const Manifest m = manifest_now(run_folder);
  const std::vector<CommittedFrame> frames = read_commits(run_folder);
  const std::vector<LoggedWarning> warnings = read_warnings(run_folder);
  if (!json) {
    print_text(m, frames, warnings);
    return ExitCode::done;
  }
  auto j = nlohmann::ordered_json::parse(to_json(m));
  j["frames_committed"] = frames.size();
  j["bytes"] = bytes_of(frames);
  if (!frames.empty()) j["time"] = frames.back().time;
  j["warnings"] = warnings.size();
  fmt::print("{}\n", j.dump(2));
  return ExitCode::done;
}

}  // namespace rtsim
