#include "sim/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "base/error.h"

namespace rtsim {

namespace {

volatile sig_atomic_t received = 0, writing = 0;
const auto process_start = std::chrono::steady_clock::now();

void on_signal(int number) {
  if (writing == 0) _exit(int(ExitCode::interrupted));
  if (received != 0 && number != SIGUSR1) _exit(128 + number);
  received = number;
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
  // A full file-size limit must come back as an error of the write, not kill the run.
  signal(SIGXFSZ, SIG_IGN);
}

void first_write_begins() { writing = 1; }

std::optional<int> signal_received() {
  return received == 0 ? std::nullopt : std::optional<int>(received);
}

double seconds_since_process_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - process_start).count();
}

bool TimeLimit::reached(double reserve) const {
  return seconds_ && seconds_since_process_start() + reserve >= *seconds_;
}

}  // namespace rtsim
