#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/build_info.h"
#include "sim/scene.h"

namespace rtsim {

// run.json: what a run is, what made it, and how it ended. Replaced atomically at every change.
struct Manifest {
  struct Restart {
    long step;
    std::string when, host;  // ISO 8601 UTC
    BuildInfo build;
    std::string device;
    int threads;
    std::vector<std::string> command_line;
  };
  // Of a branch: the run that it left, where, and what is other than there.
  struct Difference {
    std::string pointer, was, is;  // JSON; empty: nothing there
  };
  struct Parent {
    std::string folder, identity;  // absolute; of its scene
    long frame = 0, step = 0;
    std::string checkpoint;  // XXH3
    std::vector<Difference> differences;
  };
  std::string identity;            // of the scene
  std::string status = "running";  // running, done, interrupted, diverged, failed
  int exit_code = -1;              // once it ended
  std::string message;             // of the failure
  std::string scene_file;          // absolute
  std::vector<std::string> command_line;
  std::string working_folder, host, user;
  BuildInfo build;
  std::string device;  // "cpu: Intel Xeon ...", "cuda: NVIDIA H200"
  int threads = 0;
  std::int64_t seed = 0;
  std::string started, ended;                               // ISO 8601 UTC
  double wall_seconds = 0;                                  // summed over restarts
  long steps = 0, frames = 0;                               // done so far
  std::vector<std::pair<std::string, std::string>> assets;  // path, XXH3
  std::vector<Restart> restarts;
  std::optional<Parent> parent;
};

Manifest new_manifest(const Scene&, const std::vector<std::string>& command_line,
                      const std::string& device, int threads);
void write_manifest(const std::filesystem::path& run_folder, const Manifest&);
bool has_manifest(const std::filesystem::path& run_folder);
Manifest read_manifest(const std::filesystem::path& run_folder);  // Error{io} where damaged
// Whether somebody changed it since: what is wrong, or nothing. What cannot be read is left to
// read_manifest.
std::string manifest_damage(const std::filesystem::path& run_folder);
std::string to_json(const Manifest&);
std::string utc_now();
std::string user_name();  // whose process this is

}  // namespace rtsim
