#pragma once
#include <chrono>
#include <optional>

namespace rtsim {

// SIGINT, SIGTERM, SIGUSR1 and SIGHUP ask the run to write a checkpoint and leave; a second one of
// SIGINT or SIGTERM leaves at once (130, 143): of the others several may come for one reason.
// Before the first write there is nothing to save: any of them leaves with 75 at once. Under nohup
// SIGHUP stays ignored.
void catch_signals();
void first_write_begins();
std::optional<int> signal_received();

// Asks the same once `limit` seconds of wall clock have passed since the process started.
class TimeLimit {
 public:
  explicit TimeLimit(std::optional<double> seconds) : seconds_(seconds) {}
  // `reserve`: what writing the checkpoint may take [s].
  bool reached(double reserve) const;

 private:
  std::optional<double> seconds_;
};

double seconds_since_process_start();

}  // namespace rtsim
