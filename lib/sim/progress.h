#pragma once
#include <chrono>
#include <string>

namespace rtsim {

// To stderr. A terminal that has hung up is no reason to stop a run.
void tell(const std::string& text);

// Talks to stderr: one line that is rewritten on a terminal, a plain line every few seconds (at
// least 5 apart, and at the end) otherwise. "frame 12/100  t 0.24 s  8.1 Mrows/s  ETA 1:23".
class ProgressLine {
 public:
  ProgressLine(bool quiet, long total_steps, long first_step);
  void update(long steps_done, long frames_done, long total_frames, double time, double rows);
  void finish();
  ~ProgressLine() { finish(); }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_;
  long total_steps_, first_step_;
  Clock::time_point start_, last_;
  bool open_ = false;
};

}  // namespace rtsim
