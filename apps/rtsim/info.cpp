#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cache/commits.h"
#include "commands.h"
#include "sim/records/event_log.h"
#include "sim/records/family.h"
#include "sim/records/manifest.h"
#include "sim/records/run_state.h"
#include "units.h"

namespace rtsim {
namespace {

double bytes_of(const std::vector<CommittedFrame>& frames) {
  double bytes = 0;
  for (const CommittedFrame& f : frames)
    for (const WrittenFile& w : f.files) bytes += double(w.bytes);
  return bytes;
}

void print_outcome(const Manifest& m) {
  fmt::print("status   {}", m.status);
  if (m.exit_code >= 0) fmt::print(", exit code {}", m.exit_code);
  fmt::print("\n");
  if (!m.message.empty()) fmt::print("message  {}\n", m.message);
}

void print_family(const Manifest& m, const std::filesystem::path& run_folder) {
  const char* what = "parent  ";
  for (const Relative& r : ancestors(m)) {
    fmt::print("{} {}, left at frame {}, step {}\n", what, r.folder, r.frame, r.step);
    if (what[0] == 'p')
      for (const Manifest::Difference& d : m.parent->differences)
        fmt::print("         {}\n", text_of(d));
    what = "before  ";
  }
  for (const Relative& r : branches_beside(run_folder))
    fmt::print("branch   {}, from frame {}, step {}\n", r.folder, r.frame, r.step);
}

nlohmann::ordered_json json_of(const std::vector<Relative>& relatives) {
  auto all = nlohmann::ordered_json::array();
  for (const Relative& r : relatives)
    all.push_back({{"run", r.folder}, {"frame", r.frame}, {"step", r.step}});
  return all;
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
    print_family(m, run_folder);
    return ExitCode::done;
  }
  auto j = nlohmann::ordered_json::parse(to_json(m));
  j["frames_committed"] = frames.size();
  j["bytes"] = bytes_of(frames);
  if (!frames.empty()) j["time"] = frames.back().time;
  j["warnings"] = warnings.size();
  j["ancestors"] = json_of(ancestors(m));
  j["branches"] = json_of(branches_beside(run_folder));
  fmt::print("{}\n", j.dump(2));
  return ExitCode::done;
}

}  // namespace rtsim
