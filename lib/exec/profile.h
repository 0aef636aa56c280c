#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"
#include "exec/cuda.h"

namespace rtsim {

// Time by launch label, on the thread that drives the run. Two clock reads a launch; `trace` also
// keeps the first million launches for a Chrome-trace file: minutes of a run, in 24 MB.
//
// A device runs behind the host, whose clock sees how long launches take to be asked for. With
// `device_times` the device notes when each begins and ends, and nobody waits for it: the notes are
// read by collect(), or when many have come together.
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
  bool device_times = false;

  Profile() = default;
  Profile(const Profile&) = delete;
  ~Profile();

  void record(const char* label, Index rows, double start, double seconds);
  // Of a launch on a device: a note before it, and what to do with that and one behind it.
  cuda::Mark begin();
  void record(const char* label, Index rows, cuda::Mark begin, cuda::Mark end);
  // Waits for the device where it has noted times that are not in the rows yet.
  void collect();
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Event>& events() const { return events_; }
  std::uint64_t events_left_out() const { return left_out_; }
  double now() const { return std::chrono::duration<double>(Clock::now() - origin_).count(); }
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  struct Noted {
    const char* label;
    Index rows;
    cuda::Mark begin, end;
  };
  static constexpr std::size_t most_noted = 4096;

  void forget_noted();

  Clock::time_point origin_ = Clock::now();
  std::vector<Row> rows_;
  std::vector<Event> events_;
  std::uint64_t left_out_ = 0;
  std::vector<Noted> noted_;
  cuda::Mark start_mark_ = nullptr;  // at start_time_ of the host's clock, about
  double start_time_ = 0;            // [s]
};

class Exec;

// Times one launch from construction to destruction, which neither waits nor throws.
class Launch {
 public:
  Launch(const Exec& ex, const char* label, Index rows);
  ~Launch();
  Launch(const Launch&) = delete;

 private:
  const Exec& ex_;
  const char* label_;
  Index rows_;
  double start_ = 0;
  cuda::Mark begin_ = nullptr;
};

}  // namespace rtsim
