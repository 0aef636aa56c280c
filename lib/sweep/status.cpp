#include "sweep/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cache/durable.h"
#include "cache/lock.h"
#include "sim/records/event_log.h"
#include "sim/records/manifest.h"
#include "sweep/slurm_queue.h"
#include "sweep/sweep_folder.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// Whether the program itself gave up; by a signal it did not.
bool gave_up(const Attempt& a) {
  return a.exit_code > 0 && ExitCode(a.exit_code) != ExitCode::interrupted &&
         ExitCode(a.exit_code) != ExitCode::output_exists;
}

CaseState state_of(const Manifest& m, bool locked, const CaseStatus& c, bool failed) {
  if (m.status == "done")
    return m.frames >= c.frame_count ? CaseState::done : CaseState::interrupted;
  if (m.status == "diverged") return CaseState::diverged;
  if (m.status == "failed") return CaseState::failed;
  if (m.status == "running" && locked) return CaseState::running;
  if (failed) return CaseState::failed;  // before it could say so in its manifest
  return m.status == "running" ? CaseState::lost : CaseState::interrupted;
}

std::string last_line(const fs::path& file) {
  std::ifstream log(file);
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  return printable(last);
}

void read_manifest_into(CaseStatus& c, bool failed) {
  // The lock first: a run that ends between the two looks says so in its manifest.
  const bool locked = is_locked(c.run);
  const Manifest m = read_manifest(c.run);
  c.state = state_of(m, locked, c, failed);
  c.message = m.message;
  for (const LoggedWarning& w : read_warnings(c.run)) c.warnings.push_back(printable(w.message));
  c.frames = m.frames, c.steps = m.steps, c.wall_seconds = m.wall_seconds;
  c.restarts = int(m.restarts.size());
  c.host = m.restarts.empty() ? m.host : m.restarts.back().host;
  c.device = m.restarts.empty() ? m.device : m.restarts.back().device;
}

CaseStatus case_status(const fs::path& sweep, const std::string& name) {
  CaseStatus c;
  c.name = name, c.folder = case_folder(sweep, name), c.run = c.folder / "run";
  if (const auto file = read_case_file(c.folder)) c.frame_count = file->frames;
  const std::vector<Attempt> attempts = read_attempts(c.folder);
  const bool failed = !attempts.empty() && gave_up(attempts.back());
  if (has_manifest(c.run))
    read_manifest_into(c, failed);
  else if (failed)
    c.state = CaseState::failed;
  if (c.state == CaseState::failed && c.message.empty())
    c.message = last_line(c.folder / "log.txt");
  return c;
}

SweepStatus read_sweep_json(const fs::path& folder) {
  const fs::path file = folder / "sweep.json";
  SweepStatus s;
  s.folder = folder;
  try {
    const auto j = ordered_json::parse(read_file(file));
    s.sweep_file = j.at("sweep_file"), s.scene_file = j.at("scene_file");
    for (const auto& p : j.at("parameters")) s.parameters.push_back({p.at("name"), p.at("set")});
    for (const auto& c : j.at("cases")) {
      s.cases.push_back(case_status(folder, c.at("name")));
      for (const auto& v : c.at("values")) s.cases.back().values.push_back(v.dump());
    }
  } catch (const ordered_json::exception& e) {
    throw Error(ExitCode::io, fmt::format("{}: damaged: {}", file.string(), printable(e.what())));
  }
  return s;
}

// What Slurm has and no process holds.
void mark_queued(SweepStatus& s) {
  std::set<std::string> queued;
  try {
    queued = queued_cases(s.folder);
  } catch (const Error& e) {  // the folder may be looked at where there is no Slurm
    s.note = fmt::format("what Slurm has of it is not known: {}", e.what());
  }
  for (CaseStatus& c : s.cases)
    if (c.state != CaseState::running && c.state != CaseState::done && queued.contains(c.name))
      c.state = CaseState::queued;
}

}  // namespace

std::string_view to_string(CaseState s) {
  constexpr std::string_view names[] = {"waiting", "queued", "running",  "interrupted",
                                        "lost",    "done",   "diverged", "failed"};
  return names[int(s)];
}

long SweepStatus::count(CaseState state) const {
  return std::ranges::count(cases, state, &CaseStatus::state);
}

SweepStatus sweep_status(const fs::path& folder) {
  if (!is_sweep(folder))
    throw Error(ExitCode::bad_input, folder.string() + " holds no sweep: it has no sweep.json");
  SweepStatus s = read_sweep_json(folder);
  mark_queued(s);
  return s;
}

}  // namespace rtsim
