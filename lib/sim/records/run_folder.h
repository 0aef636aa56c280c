#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "cache/checkpoint.h"
#include "cache/lock.h"
#include "sim/records/manifest.h"
#include "sim/run.h"

namespace rtsim {

// The folder of one run: who may write it, whether it starts or goes on, and what its manifest says
// at the end. Nothing is written before open().
class RunFolder {
 public:
  // Throws Error{output_exists} where another run is in the way, Error{bad_input} where a resume is
  // asked for and cannot be exact.
  RunFolder(const Scene&, const RunOptions&, const Exec&);

  bool already_done() const { return done_; }
  long frames_kept() const { return checkpoint_ ? checkpoint_->progress.frames : 0; }

  // Locks the folder; clears it, or cuts it back to its checkpoint and loads that. Returns the
  // steps done.
  long open(World&);

  // Runs `work` and writes how it ended.
  ExitCode guard(const std::function<ExitCode(Manifest&)>& work);

 private:
  void decide();
  void decide_resume();
  bool is_done() const;
  void choose_checkpoint();
  void refuse_to_lose_frames() const;
  void check_scene() const;
  void check_build(const std::filesystem::path& of) const;
  long resume(World&);
  long start_afresh();
  long branch_off();
  void end(const std::string& status, ExitCode, const std::string& message);

  const Scene& scene_;
  const RunOptions& options_;
  std::string device_;
  int threads_;
  bool done_ = false;
  std::optional<CheckpointFile> checkpoint_;  // to go on from
  std::string damage_;                        // of what it saw, where that is allowed
  std::unique_ptr<FolderLock> lock_;
  Manifest old_, manifest_;
};

// What is wrong with run.json and scene.resolved.json, a line each, in a folder of so many
// committed frames: for `verify`.
std::vector<std::string> origin_problems(const std::filesystem::path& folder, long frames);

}  // namespace rtsim
