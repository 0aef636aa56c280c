#include "sweep/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "sweep/status.h"
#include "sweep/sweep_folder.h"

namespace rtsim {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds terminal_pause = 500ms, plain_pause = 10s;
constexpr std::size_t most_named = 3;  // running cases in a line

std::string minutes(double seconds) {
  const long s = long(seconds + 0.5);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

SweepProgress::SweepProgress(std::filesystem::path sweep, bool quiet)
    : sweep_(std::move(sweep)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {
  for (const CaseStatus& c : sweep_status(sweep_).cases) {
    shares_[c.name] = c.state == CaseState::done ? 1 : share(c.name);
    begun_with_ += shares_[c.name];
  }
}

double SweepProgress::share(const std::string& name) const {
  const auto folder = case_folder(sweep_, name);
  const auto file = read_case_file(folder);
  std::ifstream log(folder / "run" / "frames.jsonl");
  const long lines = std::count(std::istreambuf_iterator<char>(log), {}, '\n');
  return file && file->frames > 0 ? std::min(0.99, double(lines) / double(file->frames)) : 0;
}

void SweepProgress::update(const std::vector<std::string>& running) {
  if (quiet_ || Clock::now() - last_ < (terminal_ ? terminal_pause : plain_pause)) return;
  last_ = Clock::now();
  std::string named;
  for (const std::string& name : running) shares_[name] = share(name);
  for (std::size_t k = 0; k < std::min(most_named, running.size()); ++k)
    named += fmt::format("{}{} {:.0f} %", k ? ", " : "", running[k], 100 * shares_[running[k]]);
  if (running.size() > most_named) named += ", ...";
  double sum = 0;
  long done = 0;
  for (const auto& [name, part] : shares_) sum += part, done += part == 1;
  const double elapsed = std::chrono::duration<double>(last_ - start_).count();
  std::string line = fmt::format("{}/{} cases, {} run{}", done, shares_.size(), running.size(),
                                 named.empty() ? "" : " (" + named + ")");
  if (sum > begun_with_)
    line += fmt::format("  ETA {}",
                        minutes(elapsed * (double(shares_.size()) - sum) / (sum - begun_with_)));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "", line, terminal_ ? "\x1b[K" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void SweepProgress::say(const std::string& message) {
  if (quiet_) return;
  fmt::print(stderr, "{}{}\n", open_ ? "\r\x1b[K" : "", message);
  open_ = false;
}

void SweepProgress::ended(const std::string& name, const std::string& how) {
  if (how == "done") shares_[name] = 1;
  const long done =
      std::count_if(shares_.begin(), shares_.end(), [](const auto& s) { return s.second == 1; });
  say(fmt::format("{}/{}  {}: {}", done, shares_.size(), name, how));
}

void SweepProgress::finish() {
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

}  // namespace rtsim
