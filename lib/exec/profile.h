#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"

namespace rtsim {

// Time by launch label, on the thread that drives the run. Two clock reads a launch; `trace` also
// keeps the first million launches for a Chrome-trace file: minutes of a run, in 24 MB.
class Profile {
 public:
  struct Row {
    const char* label;
    std::uint64_t launches = 0;
    std::uint64_t rows = 0;  // iterations summed over the launches
    double seconds = 0;
  };
  struct Event {
    const char* label;
    double start, seconds;  // [s] since the profile was made
  };

  static constexpr std::size_t most_events = 1'000'000;

  bool enabled = true;
  bool trace = false;

  void record(const char* label, Index rows, double start, double seconds);
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Event>& events() const { return events_; }
  std::uint64_t events_left_out() const { return left_out_; }
  double now() const { return std::chrono::duration<double>(Clock::now() - origin_).count(); }
  void clear() { rows_.clear(), events_.clear(), left_out_ = 0; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point origin_ = Clock::now();
  std::vector<Row> rows_;
  std::vector<Event> events_;
  std::uint64_t left_out_ = 0;
};

class Exec;

// Times one launch from construction to destruction.
class Launch {
 public:
  Launch(const Exec& ex, const char* label, Index rows);
  ~Launch();
  Launch(const Launch&) = delete;

 private:
  const Exec& ex_;
  const char* label_;
  Index rows_;
  double start_;
};

}  // namespace rtsim
