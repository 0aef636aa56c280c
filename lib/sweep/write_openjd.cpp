#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cache/durable.h"
#include "sweep/launch.h"
#include "sweep/process.h"
#include "sweep/sweep_folder.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t tasks_of_a_step = 1024;  // in the list of a parameter: so many of a step
constexpr int notice = 120;                    // [s] for a checkpoint

// $1: the case. The scheduler reads progress from lines of standard output, as the Open Job
// Description says, and asks for an end by SIGTERM. An exit code of 75 is a checkpoint: the task,
// run again, goes on from there.
constexpr const char* task_script = R"bash(#!/bin/bash
set -u
cd -- @CASES@/"$1" || exit 74
total=$(sed -n 's/.*"frames": *\([0-9]*\).*/\1/p' case.json | tail -n 1)
@PROGRAM@ run scene.json -o run --quiet @BEGIN@ --threads @THREADS@ @OPTIONS@ &
pid=$!
# TERM may go to the program too, and a second one would stop it at once; USR1 would not.
trap 'sleep 0.5; kill -USR1 $pid 2>/dev/null' TERM INT
last=-1
while kill -0 $pid 2>/dev/null; do
  sleep 1 &
  wait $! 2>/dev/null
  done_frames=$(wc -l 2>/dev/null < run/frames.jsonl) || done_frames=0
  [ "$done_frames" = "$last" ] && continue
  last=$done_frames
  echo "openjd_progress: $((100 * done_frames / (total > 0 ? total : 1)))"
  echo "openjd_status: $done_frames of $total frames"
done
wait $pid
code=$?
[ $code -ne 0 ] && [ $code -ne 75 ] && echo "openjd_fail: rtsim ended with exit code $code"
[ $code -eq 75 ] && echo "openjd_status: stopped after a checkpoint; run again, it goes on"
exit $code
)bash";

std::string script_text(const fs::path& sweep, const LaunchOptions& o, bool afresh) {
  std::string options;
  if (o.device != "auto") options += "--device " + shell_word(o.device);
  if (o.allow_different_build) options += " --allow-different-build";
  std::string text = filled(task_script, "@CASES@", shell_word((sweep / "cases").string()));
  text = filled(text, "@PROGRAM@", shell_word(own_program().string()));
  text = filled(text, "@BEGIN@", afresh ? "--overwrite" : "--resume=auto");
  text = filled(text, "@THREADS@", std::to_string(std::max(1, o.threads)));
  return filled(text, "@OPTIONS@", options);
}

ordered_json step(const std::string& name, const std::string& script,
                  const std::vector<std::string>& cases, int threads) {
  return {
      {"name", name},
      {"parameterSpace",
       {{"taskParameterDefinitions", {{{"name", "Case"}, {"type", "STRING"}, {"range", cases}}}}}},
      {"hostRequirements",
       {{"attributes", {{{"name", "attr.worker.os.family"}, {"anyOf", {"linux"}}}}},
        {"amounts", {{{"name", "amount.worker.vcpu"}, {"min", threads}}}}}},
      {"script",
       {{"embeddedFiles",
         {{{"name", "RunCase"},
           {"type", "TEXT"},
           {"filename", "run_case.sh"},
           {"runnable", true},
           {"data", script}}}},
        {"actions",
         {{"onRun",
           {{"command", "{{Task.File.RunCase}}"},
            {"args", {"{{Task.Param.Case}}"}},
            {"cancelation",
             {{"mode", "NOTIFY_THEN_TERMINATE"}, {"notifyPeriodInSeconds", notice}}}}}}}}}};
}

// Names of jobs are short, and hold no control characters.
std::string job_name(const fs::path& sweep) { return sweep.filename().string().substr(0, 64); }

}  // namespace

fs::path write_openjd(const fs::path& folder, const std::vector<SweepJob>& jobs,
                      const LaunchOptions& o) {
  const fs::path sweep = fs::absolute(folder).lexically_normal();
  ordered_json steps = ordered_json::array();
  for (const bool afresh : {false, true}) {
    std::vector<std::string> cases;
    const auto flush = [&] {
      if (cases.empty()) return;
      steps.push_back(step(fmt::format("Cases{}", steps.size() + 1), script_text(sweep, o, afresh),
                           cases, std::max(1, o.threads)));
      cases.clear();
    };
    for (const SweepJob& job : jobs) {
      if (job.afresh != afresh) continue;
      cases.push_back(job.name);
      if (cases.size() == tasks_of_a_step) flush();
    }
    flush();
  }
  const fs::path file = sweep / "job.openjd.json";
  if (steps.empty()) return {};
  write_file(file, ordered_json{{"specificationVersion", "jobtemplate-2023-09"},
                                {"name", job_name(sweep)},
                                {"description", "Made by rtsim sweep: a task for each case"},
                                {"steps", steps}}
                           .dump(2) +
                       "\n");
  return file;
}

}  // namespace rtsim
