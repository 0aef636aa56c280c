#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>

#include "cache/durable.h"
#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/run.h"
#include "sweep/launch.h"
#include "sweep/process.h"
#include "sweep/slurm_queue.h"
#include "sweep/sweep_folder.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr double memory_factor = 1.3, memory_base = 256e6;  // [bytes] of the program and its frames
constexpr double time_factor = 3, least_time = 300;         // [s]
constexpr double beside_stages = 1e-5;                      // [s] a step, to watch and record it
constexpr int signal_before = 60;                           // [s] before a task's time is up
constexpr int most_restarts = 100;

struct Resources {
  double bytes = 0;    // of memory
  double seconds = 0;  // of wall clock
};

// Times the first steps of a case here; the rest goes as fast, unless it changes much.
double seconds_of(const SweepJob& job, long steps, int threads) {
  using Clock = std::chrono::steady_clock;
  const Scene scene = read_scene(job.folder / "scene.json", {}, stage_catalog());
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Simulation sim = build(scene, make_exec("cpu", threads));
  refresh(sim, 0);
  const double built = elapsed();
  long done = 0;
  for (; done < std::min<long>(steps, 50) && elapsed() - built < 3; ++done)
    advance(sim, {done, double(done) * scene.time.step_dt(), scene.time.step_dt()});
  const double step = (elapsed() - built) / double(std::max<long>(1, done)) + beside_stages;
  return built + step * double(steps);
}

// What the heaviest of the cases needs.
Resources resources_of(const std::vector<SweepJob>& jobs, const LaunchOptions& o, int threads) {
  Resources need;
  double most = -1;
  const SweepJob* heaviest = nullptr;
  long steps = 0;
  for (const SweepJob& job : jobs) {
    const auto file = read_case_file(job.folder);
    if (!file) continue;
    need.bytes = std::max(need.bytes, file->bytes);
    const double work = (file->bytes + 1e5) * double(file->steps);
    if (work > most) most = work, heaviest = &job, steps = file->steps;
  }
  need.bytes = memory_base + memory_factor * need.bytes;
  need.seconds = o.time_limit;
  if (need.seconds <= 0 && heaviest)
    need.seconds = std::max(least_time, time_factor * seconds_of(*heaviest, steps, threads));
  return need;
}

// $1: the list of cases, $2: the first line of this array. The program's word is kept in
// attempts.jsonl; 75 is "run me again".
constexpr const char* script = R"bash(#!/bin/bash
# Made by rtsim sweep: one case of the sweep, a task of a Slurm array.
set -u
name=$(sed -n "$(($2 + SLURM_ARRAY_TASK_ID + 1))p" "$1")
cd @CASES@ || exit 74
cd -- "$name" || exit 74
@PROGRAM@ run scene.json -o run --quiet --resume=auto --threads "${SLURM_CPUS_PER_TASK:-1}" @OPTIONS@ >> log.txt 2>&1 &
pid=$!
# Slurm may send TERM to the program too, and a second one would stop it at once; USR1 would not.
pass_on() { asked=1; sleep 0.5; kill -USR1 $pid 2>/dev/null; }
# TERM is scancel, or preemption, after which Slurm itself queues the task again.
again=1
trap pass_on USR1
trap 'again=0; pass_on' TERM
asked=1
while [ $asked -eq 1 ]; do asked=0; wait $pid; code=$?; done
trap '' USR1 TERM
if [ $code -gt 128 ]; then signal=$((code - 128)); shown=-1; else signal=0; shown=$code; fi
printf '{"ended":"%s","executor":"slurm","exit_code":%d,"signal":%d,"job":"%s_%s","host":"%s"}\n' \
  "$(date -u +%Y-%m-%dT%H:%M:%SZ)" $shown $signal "$SLURM_ARRAY_JOB_ID" "$SLURM_ARRAY_TASK_ID" \
  "$(hostname)" >> attempts.jsonl
if [ $code -eq 75 ] && [ $again -eq 1 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt @RESTARTS@ ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit $code
)bash";

fs::path write_script(const fs::path& sweep, const LaunchOptions& o) {
  std::string options;
  if (o.device != "auto") options += "--device " + shell_word(o.device);
  if (o.allow_different_build) options += " --allow-different-build";
  std::string text = filled(script, "@CASES@", shell_word((sweep / "cases").string()));
  text = filled(text, "@PROGRAM@", shell_word(own_program().string()));
  text = filled(text, "@OPTIONS@", options);
  text = filled(text, "@RESTARTS@", std::to_string(most_restarts));
  const fs::path file = sweep / "slurm" / "case.sh";
  write_file(file, text);
  return file;
}

// The tasks that an array may have: indices below MaxArraySize.
long most_tasks() {
  const std::string config = output_of({"scontrol", "show", "config"});
  const auto at = config.find("MaxArraySize");
  const auto equals = at == config.npos ? config.npos : config.find('=', at);
  const long most = equals == config.npos ? 0 : std::atol(config.c_str() + equals + 1);
  return most > 1 ? most : 1001;
}

std::string write_list(const fs::path& sweep, const std::vector<SweepJob>& jobs) {
  std::string lines;
  for (const SweepJob& job : jobs) lines += job.name + "\n";
  for (int number = 1;; ++number) {
    const std::string name = fmt::format("slurm/{}.cases", number);
    if (fs::exists(sweep / name)) continue;
    write_file(sweep / name, lines);
    return name;
  }
}

std::string submit(const fs::path& sweep, const fs::path& script_file, const SlurmArray& a,
                   const Resources& need, int threads, const LaunchOptions& o) {
  const std::string limit = o.jobs > 0 ? fmt::format("%{}", o.jobs) : "";
  std::vector<std::string> command = {
      "sbatch",
      "--parsable",
      "--requeue",
      "--open-mode=append",
      "--job-name=" + sweep.filename().string(),
      fmt::format("--array=0-{}{}", a.count - 1, limit),
      "--output=" + (sweep / "slurm" / "%A_%a.log").string(),
      fmt::format("--signal=B:USR1@{}", signal_before),
      fmt::format("--cpus-per-task={}", threads),
      fmt::format("--mem={}M", long(std::ceil(need.bytes / 1048576))),
      fmt::format("--time={}", long(std::ceil(need.seconds / 60)))};
  for (const std::string& more : o.sbatch) command.push_back(more);
  command.insert(command.end(),
                 {script_file.string(), (sweep / a.list).string(), std::to_string(a.first)});
  std::string job = output_of(command);
  return job.substr(0, job.find_first_of(";\n"));
}

// A case that begins afresh loses its run here: the task that runs it may begin several times.
void clear_afresh(const std::vector<SweepJob>& jobs) {
  for (const SweepJob& job : jobs)
    if (job.afresh) fs::remove_all(job.folder / "run");
}

}  // namespace

long submit_to_slurm(const fs::path& folder, const std::vector<SweepJob>& all,
                     const LaunchOptions& o) {
  const fs::path sweep = fs::absolute(folder).lexically_normal();
  const std::set<std::string> queued = queued_cases(sweep);
  std::vector<SweepJob> jobs;
  for (const SweepJob& job : all)
    if (!queued.contains(job.name)) jobs.push_back(job);
  if (jobs.empty()) return 0;
  const long most = most_tasks(), count = long(jobs.size());
  const int threads = std::max(1, o.threads);
  const Resources need = resources_of(jobs, o, threads);
  fs::create_directories(sweep / "slurm");
  clear_afresh(jobs);
  const fs::path file = write_script(sweep, o);
  SlurmArray a;
  a.list = write_list(sweep, jobs);
  for (a.first = 0; a.first < count; a.first += most) {
    a.count = std::min(most, count - a.first);
    a.job = submit(sweep, file, a, need, threads, o);
    add_array(sweep, a);
  }
  return count;
}

}  // namespace rtsim
