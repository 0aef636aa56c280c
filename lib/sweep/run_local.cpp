#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <thread>

#include "cache/lock.h"
#include "sim/build/build.h"
#include "sim/interrupt.h"
#include "sweep/launch.h"
#include "sweep/process.h"
#include "sweep/sweep_folder.h"
#include "sweep/sweep_progress.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
constexpr auto pause_of_poll = 10ms;
constexpr int most_deaths = 3;  // of one case, before it is given up
constexpr double share_of_memory = 0.8;

struct Running {
  SweepJob job;
  pid_t process;
};

int cases_at_once(const std::vector<SweepJob>& jobs, const LaunchOptions& o, int processors) {
  if (o.jobs > 0) return o.jobs;
  double largest = 1;  // [bytes]
  for (const SweepJob& job : jobs)
    if (const auto file = read_case_file(job.folder)) largest = std::max(largest, file->bytes);
  const double fit = share_of_memory * machine_memory() / largest;
  const double most = double(std::min<std::size_t>(jobs.size(), std::size_t(processors)));
  return int(std::clamp(fit, 1.0, std::max(1.0, most)));
}

class LocalRun {
 public:
  LocalRun(const fs::path& sweep, std::vector<SweepJob> jobs, const LaunchOptions& o)
      : o_(o), progress_(sweep, o.quiet) {
    const int processors = std::max(1, int(std::thread::hardware_concurrency()));
    at_once_ = cases_at_once(jobs, o, processors);
    const int running = std::max(1, std::min(at_once_, int(jobs.size())));
    threads_ = o.threads > 0 ? o.threads : std::max(1, processors / running);
    waiting_.assign(jobs.begin(), jobs.end());
  }

  ExitCode run() {
    while (!running_.empty() || (!waiting_.empty() && !signal_received())) {
      if (signal_received()) pass_on();
      while (!signal_received() && int(running_.size()) < at_once_ && start_next()) {
      }
      reap();
      progress_.update(names());
      std::this_thread::sleep_for(pause_of_poll);
    }
    progress_.finish();
    if (signal_received()) return ExitCode::interrupted;
    return failed_ ? ExitCode::different : ExitCode::done;
  }

 private:
  // The next that nobody else works on: a sweep that was killed leaves cases that still write
  // their checkpoints.
  bool start_next() {
    for (std::size_t tried = 0; tried < waiting_.size(); ++tried) {
      const SweepJob job = waiting_.front();
      waiting_.pop_front();
      if (is_locked(job.folder / "run")) {
        if (waited_for_.insert(job.name).second)
          progress_.say(fmt::format("{}: somebody else runs it; waiting for them", job.name));
        waiting_.push_back(job);
        continue;
      }
      const auto command = case_command(job, o_, std::to_string(threads_));
      running_.push_back({job, start_process(command, job.folder / "log.txt")});
      return true;
    }
    return false;
  }

  void reap() {
    for (auto r = running_.begin(); r != running_.end();) {
      const auto end = process_end(r->process);
      if (!end) {
        ++r;
        continue;
      }
      ended(r->job, *end);
      r = running_.erase(r);
    }
  }

  void ended(SweepJob job, const ProcessEnd& end) {
    const auto code = ExitCode(end.exit_code);
    if (code == ExitCode::output_exists &&
        (is_locked(job.folder / "run") || refused_.insert(job.name).second)) {
      waiting_.push_back(job);  // somebody was faster, and may have left by now
      return;
    }
    add_attempt(job.folder, {"local", end.exit_code, end.signal});
    if (code == ExitCode::done) return progress_.ended(job.name, "done");
    const bool stopped = code == ExitCode::interrupted || end.signal == SIGTERM;  // so early a one
    if (stopped && signal_received()) return progress_.ended(job.name, "interrupted");
    const bool died = end.exit_code < 0 || code == ExitCode::interrupted;
    if (died && !signal_received() && ++deaths_[job.name] < most_deaths) {
      progress_.say(fmt::format(
          "{}: {}; it goes on from its last checkpoint", job.name,
          end.signal ? fmt::format("ended by signal {}", end.signal) : std::string("interrupted")));
      job.afresh = false;
      waiting_.push_back(job);
      return;
    }
    failed_ = true;
    progress_.ended(job.name, fmt::format("failed with {}: see {}",
                                          end.signal ? fmt::format("signal {}", end.signal)
                                                     : std::to_string(end.exit_code),
                                          (job.folder / "log.txt").string()));
  }

  void pass_on() {
    if (passed_on_) return;
    passed_on_ = true;
    progress_.say(fmt::format("stopping: {} cases write their checkpoints", running_.size()));
    for (const Running& r : running_) kill(r.process, SIGTERM);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Running& r : running_) all.push_back(r.job.name);
    return all;
  }

  const LaunchOptions& o_;
  SweepProgress progress_;
  int at_once_ = 1, threads_ = 1;
  std::deque<SweepJob> waiting_;
  std::list<Running> running_;
  std::map<std::string, int> deaths_;
  std::set<std::string> waited_for_, refused_;
  bool passed_on_ = false, failed_ = false;
};

}  // namespace

ExitCode run_local(const fs::path& sweep, std::vector<SweepJob> jobs, const LaunchOptions& o) {
  catch_signals();
  first_write_begins();  // from here on a signal lets the cases write their checkpoints
  return LocalRun(sweep, std::move(jobs), o).run();
}

}  // namespace rtsim
