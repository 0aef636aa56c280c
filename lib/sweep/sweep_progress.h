#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rtsim {

// Talks to stderr about a sweep that runs here: a line for each case that ends, and between them,
// rewritten on a terminal and every ten seconds elsewhere,
//   "3/12 cases, 2 run (nu=0.1 45 %, nu=0.2 10 %)  ETA 3:20"
class SweepProgress {
 public:
  SweepProgress(std::filesystem::path sweep, bool quiet);
  ~SweepProgress() { finish(); }

  void update(const std::vector<std::string>& running);
  void say(const std::string& message);
  void ended(const std::string& name, const std::string& how);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  double share(const std::string& name) const;  // of a case's frames that are there

  std::filesystem::path sweep_;
  bool quiet_, terminal_;
  std::map<std::string, double> shares_;  // of all cases
  double begun_with_ = 0;                 // sum of the shares at the start
  Clock::time_point start_, last_;
  bool open_ = false;
};

}  // namespace rtsim
