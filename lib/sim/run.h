#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/build/build.h"
#include "sim/scene.h"

namespace rtsim {

struct Branch;

struct RunOptions {
  std::filesystem::path folder;
  std::string device = "auto";  // auto (the CPU), cpu, cuda, cuda:N
  int threads = 0;              // 0: one per processor
  bool overwrite = false;
  enum class Resume { no, yes, if_possible } resume = Resume::no;
  bool allow_different_build = false;
  bool allow_damage = false;  // resume although what the checkpoint saw is not whole
  bool ignore_free_space = false;
  std::optional<double> time_limit;  // [s] of wall clock from the start of the process
  bool profile = false;
  bool quiet = false;
  std::vector<std::string> command_line;  // for the manifest
  std::shared_ptr<const Branch> branch;   // another run to go on from, in a folder of its own
};

// Runs a scene into a folder and returns done or interrupted; throws Error for all else. Frames,
// series and checkpoints written before a failure stay.
ExitCode run_scene(const Scene&, const RunOptions&);

// The scene of a run folder as it ran (scene.resolved.json), for `resume` and `info`.
Scene scene_of_run(const std::filesystem::path& folder);

Exec make_exec(const std::string& device, int threads);  // throws Error{usage} or {no_device}

}  // namespace rtsim
