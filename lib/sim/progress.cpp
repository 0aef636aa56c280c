#include "sim/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace rtsim {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds terminal_pause = 100ms, plain_pause = 5s;

std::string minutes(double seconds) {
  const long s = long(seconds + 0.5);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// Row updates per second, with the prefix that keeps three digits readable.
std::string rate_text(double rows_per_second) {
  if (rows_per_second >= 1e6) return fmt::format("{:.3g} Mrows/s", rows_per_second * 1e-6);
  return fmt::format("{:.3g} krows/s", rows_per_second * 1e-3);
}

}  // namespace

void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

ProgressLine::ProgressLine(bool quiet, long total_steps, long first_step)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      total_steps_(total_steps),
      first_step_(first_step),
      start_(Clock::now()),
      last_(start_) {}

void ProgressLine::update(long steps_done, long frames_done, long total_frames, double time,
                          double rows) {
  if (quiet_) return;
  const auto now = Clock::now();
  const bool end = steps_done == total_steps_;
  if (!end && now - last_ < (terminal_ ? terminal_pause : plain_pause)) return;
  last_ = now;

  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double steps_per_second = double(steps_done - first_step_) / (elapsed > 0 ? elapsed : 1e-9);
  std::string line = fmt::format("frame {}/{}  t {:.4g} s  {}", frames_done, total_frames, time,
                                 rate_text(steps_per_second * rows));
  if (end)
    line += fmt::format("  took {}", minutes(elapsed));
  else if (steps_per_second > 0)
    line += fmt::format("  ETA {}", minutes(double(total_steps_ - steps_done) / steps_per_second));

  // "\x1b[K" clears what a longer line left behind.
  tell(terminal_ ? "\r" + line + "\x1b[K" : line + "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void ProgressLine::finish() {
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

}  // namespace rtsim
