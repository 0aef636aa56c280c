#pragma once
#include <functional>
#include <memory>

#include "cache/lock.h"
#include "sim/manifest.h"
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

  // Locks the folder; clears it, or cuts it back to its checkpoint and loads that. Returns the steps
  // done.
  long open(World&);

  // Runs `work` and writes how it ended.
  ExitCode guard(const std::function<ExitCode(Manifest&)>& work);

 private:
  void check_resume(const Manifest& old) const;
  long resume(World&);
  void start_afresh();
  void end(const std::string& status, ExitCode, const std::string& message);

  const Scene& scene_;
  const RunOptions& options_;
  std::string device_;
  int threads_;
  bool resume_ = false, done_ = false;
  std::unique_ptr<FolderLock> lock_;
  Manifest manifest_;
};

}  // namespace rtsim
