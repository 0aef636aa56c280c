#pragma once
#include <chrono>
#include <set>
#include <string>

#include "cache/async_writer.h"
#include "sim/build/build.h"
#include "sim/clock.h"
#include "sim/progress.h"
#include "sim/records/diagnostics.h"
#include "sim/records/event_log.h"
#include "sim/records/ledger.h"
#include "sim/records/manifest.h"
#include "sim/run.h"

namespace rtsim {

// Everything a run leaves behind: series, frames, checkpoints, warnings, progress, profile.
class Recorder {
 public:
  Recorder(const Scene&, const RunOptions&, const Clock&, Simulation&, Manifest&);

  void start(long first_step);       // frame 0 and the first row of the series, on a fresh run
  void after_step(long steps_done);  // whatever is due
  void checkpoint(long steps_done);  // after every frame and row so far is on the disk
  void finish();
  void fail(long steps_done);  // what was written before a failure is committed, and counts

  // What to throw for a state that diverged in the step that began after `step` steps: with step,
  // time and the last good frame, once that frame is on the disk.
  Diverged explain(const Diverged&, long step);

  double checkpoint_seconds() const { return checkpoint_cost_; }

 private:
  using Clock_ = std::chrono::steady_clock;
  void adopt_series(long first_step);
  void measure(long steps_done);
  void judge(long steps_done, const std::vector<Measurement>&);  // by the ledger
  void frame(long steps_done);
  void warn(long steps_done);
  void say_once(const std::string& key, long steps_done, const std::string& text);
  bool checkpoint_due(long steps_done) const;
  void require_finite();
  double mean_rows(long steps_done) const;  // a step, for rates
  void count(long steps_done);              // steps and committed frames, into the manifest
  void save_manifest(long steps_done);
  void write_profile();

  const Scene& scene_;
  const RunOptions& options_;
  const Clock clock_;
  Simulation& sim_;
  Manifest& manifest_;
  Series series_;
  EventLog log_;
  Ledger ledger_;
  AsyncWriter writer_;
  ProgressLine progress_;
  const long frames_before_;  // committed before this process went on
  std::set<std::string> warned_;
  long first_step_ = 0;
  double row_steps_ = 0;        // rows summed over the steps: they come and go
  double pairs_ = 0;            // neighbours, summed over the rows of the series
  long measured_ = 0;           // rows of the series
  double checkpoint_cost_ = 1;  // [s]
  Clock_::time_point started_ = Clock_::now(), last_checkpoint_ = Clock_::now(), last_saved_;
};

}  // namespace rtsim
