#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "sweep/status.h"

// Who runs the cases.
namespace rtsim {

struct SweepJob {
  std::string name;  // of the case
  std::filesystem::path folder;
  bool afresh = false;  // not from its checkpoint
};

struct LaunchOptions {
  std::string device = "auto";
  int jobs = 0;     // cases at once; 0: as the executor thinks best
  int threads = 0;  // a case; 0: likewise
  bool allow_different_build = false;
  bool quiet = false;
  double time_limit = 0;            // [s] Slurm's, of a task; 0: estimated
  std::vector<std::string> sbatch;  // further options of sbatch
};

// What is left to do: what waits, was interrupted or lost; with `failed` also what failed or
// diverged, the latter from the start.
std::vector<SweepJob> jobs_of(const SweepStatus&, bool failed);

// The command that runs a case, from wherever it is started.
std::vector<std::string> case_command(const SweepJob&, const LaunchOptions&,
                                      const std::string& threads);

// Here, some at a time. SIGINT, SIGTERM and SIGHUP are passed on: the cases write checkpoints, and
// this returns interrupted. What dies of a signal is resumed, twice at most. Different where a case
// failed.
ExitCode run_local(const std::filesystem::path& sweep, std::vector<SweepJob>, const LaunchOptions&);

// Submits arrays to Slurm and returns how many tasks. A task that is preempted, or whose time
// is up, writes a checkpoint, is queued again and resumes.
long submit_to_slurm(const std::filesystem::path& sweep, const std::vector<SweepJob>&,
                     const LaunchOptions&);

// Writes commands.txt, a command a line for a shell, and returns it.
std::filesystem::path write_commands(const std::filesystem::path& sweep,
                                     const std::vector<SweepJob>&, const LaunchOptions&);

// Writes job.openjd.json, a job template of the Open Job Description, 2023-09, with a task for each
// case, and returns it; nothing where no case is left.
std::filesystem::path write_openjd(const std::filesystem::path& sweep, const std::vector<SweepJob>&,
                                   const LaunchOptions&);

}  // namespace rtsim
