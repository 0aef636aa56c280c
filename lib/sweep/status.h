#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rtsim {

// What is swept: a name, and where it goes in the scene.
struct SweepParameter {
  std::string name;
  std::vector<std::string> pointers;
};

// waiting: never begun · queued: Slurm has it · running · interrupted: has a checkpoint, or a later
// end · lost: began, and nobody works on it any more · done · diverged · failed
enum class CaseState { waiting, queued, running, interrupted, lost, done, diverged, failed };
std::string_view to_string(CaseState);

struct CaseStatus {
  std::string name;
  std::filesystem::path folder;     // holds scene.json, case.json, log.txt
  std::filesystem::path run;        // the run folder in it, which need not be there yet
  std::vector<std::string> values;  // of the parameters, as JSON
  CaseState state = CaseState::waiting;
  std::string message;  // of a failure
  std::vector<std::string> warnings;
  long frames = 0, frame_count = 0;  // written, and in all
  long steps = 0;                    // done
  double wall_seconds = 0;           // of finished parts
  int restarts = 0;                  // resumed so often
  std::string host, device;          // of the last part
};

struct SweepStatus {
  std::filesystem::path folder;
  std::string sweep_file, scene_file;  // absolute
  std::vector<SweepParameter> parameters;
  std::vector<CaseStatus> cases;
  std::string note;  // what could not be found out, if anything

  long count(CaseState) const;
  bool complete() const { return count(CaseState::done) == long(cases.size()); }
};

bool is_sweep(const std::filesystem::path& folder);

// What a sweep folder holds now. Changes nothing. Throws Error{bad_input} where it is none.
SweepStatus sweep_status(const std::filesystem::path& folder);

}  // namespace rtsim
