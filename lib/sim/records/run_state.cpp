#include "sim/records/run_state.h"

#include <chrono>
#include <thread>

#include "cache/lock.h"

namespace rtsim {

namespace {

std::string state_of_lock(const std::filesystem::path& run_folder) {
  if (!std::filesystem::exists(run_folder / ".lock")) return "killed";
  try {
    const FolderLock nobody_else(run_folder);
    return "killed";
  } catch (const Error& e) {
    return e.code() == ExitCode::output_exists ? "running" : "running or killed";  // read-only
  }
}

}  // namespace

// Read again once the lock was tried: a run may end in between.
Manifest manifest_now(const std::filesystem::path& run_folder) {
  Manifest m = read_manifest(run_folder);
  if (m.status != "running") return m;
  const std::string state = state_of_lock(run_folder);
  m = read_manifest(run_folder);
  if (m.status == "running") m.status = state;
  return m;
}

Manifest wait_for_end(const std::filesystem::path& run_folder) {
  constexpr std::chrono::milliseconds pause(200);
  while (is_locked(run_folder)) std::this_thread::sleep_for(pause);
  return manifest_now(run_folder);
}

}  // namespace rtsim
