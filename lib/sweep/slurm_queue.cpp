#include "sweep/slurm_queue.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "cache/durable.h"
#include "sweep/process.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

fs::path arrays_file(const fs::path& sweep) { return sweep / "slurm" / "arrays.jsonl"; }

// "12_3" of every task that squeue knows of these jobs.
std::set<std::string> queued_tasks(const std::vector<SlurmArray>& arrays) {
  std::set<std::string> jobs, tasks;
  for (const SlurmArray& a : arrays) jobs.insert(a.job);
  // All of the user's: squeue refuses a job that it has forgotten.
  std::istringstream lines(
      output_of({"squeue", "--noheader", "--array", "--me", "--format=%F %K"}));
  std::string job, task;
  while (lines >> job >> task)
    if (jobs.contains(job)) tasks.insert(job + "_" + task);
  return tasks;
}

}  // namespace

void add_array(const fs::path& sweep, const SlurmArray& a) {
  const ordered_json j = {{"job", a.job}, {"list", a.list}, {"first", a.first}, {"count", a.count}};
  add_line(arrays_file(sweep), j.dump());
}

std::vector<SlurmArray> read_arrays(const fs::path& sweep) {
  std::vector<SlurmArray> arrays;
  for (const std::string& line : read_lines(arrays_file(sweep))) {
    const auto j = ordered_json::parse(line, nullptr, false);
    if (j.is_object()) arrays.push_back({j.at("job"), j.at("list"), j.at("first"), j.at("count")});
  }
  return arrays;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> queued_cases(const fs::path& sweep) {
  const std::vector<SlurmArray> arrays = read_arrays(sweep);
  if (arrays.empty()) return {};
  const std::set<std::string> tasks = queued_tasks(arrays);
  std::set<std::string> cases;
  if (tasks.empty()) return cases;
  for (const SlurmArray& a : arrays) {
    const std::vector<std::string> names = read_lines(sweep / a.list);
    for (long k = 0; k < a.count && a.first + k < long(names.size()); ++k)
      if (tasks.contains(fmt::format("{}_{}", a.job, k)))
        cases.insert(names[std::size_t(a.first + k)]);
  }
  return cases;
}

}  // namespace rtsim
