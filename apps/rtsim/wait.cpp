#include "wait.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "cache/lock.h"
#include "cache/no_run.h"
#include "commands.h"
#include "sim/records/run_state.h"
#include "sweep/status.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

ExitCode wait_for_run(const fs::path& folder) {
  if (!has_manifest(folder)) throw no_run(folder);
  const Manifest m = wait_for_end(folder);
  const bool ended = m.exit_code >= 0;
  const ExitCode code = ended ? ExitCode(m.exit_code) : ExitCode::interrupted;
  fmt::print("{}: {}, exit code {}; {} frame{}\n", folder.string(), m.status, int(code), m.frames,
             m.frames == 1 ? "" : "s");
  if (!m.message.empty()) fmt::print(stderr, "rtsim: {}\n", m.message);
  if (code == ExitCode::interrupted)
    fmt::print(stderr, "rtsim: not finished; go on with `rtsim resume {}`\n", folder.string());
  return code;
}

ExitCode wait_for_sweep(const fs::path& folder) {
  constexpr std::chrono::seconds pause(1);
  while (goes_on(folder)) std::this_thread::sleep_for(pause);
  const SweepStatus s = sweep_status(folder);
  const long failed = s.count(CaseState::failed) + s.count(CaseState::diverged);
  fmt::print("{}: {} of {} cases are done, {} failed\n", folder.string(), s.count(CaseState::done),
             s.cases.size(), failed);
  if (s.complete()) return ExitCode::done;
  return failed > 0 ? ExitCode::different : ExitCode::interrupted;
}

}  // namespace

bool goes_on(const fs::path& folder) {
  if (is_locked(folder)) return true;
  if (!is_sweep(folder)) return false;
  const SweepStatus s = sweep_status(folder);
  return s.count(CaseState::running) + s.count(CaseState::queued) > 0;
}

ExitCode wait_command(const fs::path& folder) {
  return is_sweep(folder) ? wait_for_sweep(folder) : wait_for_run(folder);
}

}  // namespace rtsim
