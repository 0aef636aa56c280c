#pragma once
#include <stdexcept>
#include <string>

namespace rtsim {

// What the process returns; scripts and requeue loops depend on these numbers.
enum class ExitCode {
  done = 0,
  internal = 1,
  usage = 2,
  bad_input = 3,      // scene, mesh or cache; nothing was written
  diverged = 4,       // a state is not finite, or has more energy than it can have
  different = 5,      // compared things differ, an expectation or a checksum fails
  output_exists = 6,  // or is locked by another writer
  no_device = 7,
  io = 74,           // disk full, corrupt file
  interrupted = 75,  // a checkpoint was written: run again to resume
};

// Anything a user can cause. `what()` says what, where, and what would work.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace rtsim
