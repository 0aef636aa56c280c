#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/lock.h"
#include "sweep/sweep.h"

// The folder of a sweep:
//   sweep.json               parameters, and the names and values of all cases
//   cases/<name>/case.json   values, identity of the scene, frames
//   cases/<name>/scene.json  complete; what `run/` runs
//   cases/<name>/run/        the run: its run.json is the state of the case
//   cases/<name>/log.txt, attempts.jsonl
//   slurm/, commands.txt     of those executors
namespace rtsim {

// A sweep folder that this process alone may change.
class SweepFolder {
 public:
  // Makes or opens the folder and puts the cases there. A case that is there already must have the
  // same scene, but for its end time. Throws Error{output_exists} where the folder holds something
  // else or another sweep works in it, Error{bad_input} where a scene is not what it was.
  SweepFolder(const std::filesystem::path&, const Sweep&, const std::vector<CaseScene>&);
  // Opens what is there, for `rerun`.
  explicit SweepFolder(const std::filesystem::path&);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

std::filesystem::path case_folder(const std::filesystem::path& sweep, const std::string& name);

// What case.json says.
struct CaseFile {
  std::string identity;
  long frames = 0, steps = 0;
  double bytes = 0;
};
std::optional<CaseFile> read_case_file(const std::filesystem::path& case_folder);

// How an attempt at a case ended: a line of attempts.jsonl.
struct Attempt {
  std::string executor;
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
};
void add_attempt(const std::filesystem::path& case_folder, const Attempt&);
std::vector<Attempt> read_attempts(const std::filesystem::path& case_folder);

}  // namespace rtsim
