#include "sweep/launch.h"

#include <algorithm>

#include "cache/durable.h"
#include "sweep/process.h"

namespace rtsim {

namespace fs = std::filesystem;

std::vector<SweepJob> jobs_of(const SweepStatus& s, bool failed) {
  std::vector<SweepJob> jobs;
  for (const CaseStatus& c : s.cases) {
    const bool open = c.state == CaseState::waiting || c.state == CaseState::interrupted ||
                      c.state == CaseState::lost;
    const bool again = c.state == CaseState::failed || c.state == CaseState::diverged;
    if (open || (failed && again))
      jobs.push_back({c.name, c.folder, c.state == CaseState::diverged});
  }
  return jobs;
}

std::vector<std::string> case_command(const SweepJob& job, const LaunchOptions& o,
                                      const std::string& threads) {
  const fs::path folder = fs::absolute(job.folder).lexically_normal();
  std::vector<std::string> command = {own_program().string(),           "run",
                                      (folder / "scene.json").string(), "-o",
                                      (folder / "run").string(),        "--quiet"};
  command.push_back(job.afresh ? "--overwrite" : "--resume=auto");
  if (o.device != "auto") command.insert(command.end(), {"--device", o.device});
  if (!threads.empty()) command.insert(command.end(), {"--threads", threads});
  if (o.allow_different_build) command.emplace_back("--allow-different-build");
  return command;
}

fs::path write_commands(const fs::path& sweep, const std::vector<SweepJob>& jobs,
                        const LaunchOptions& o) {
  std::string text;
  for (const SweepJob& job : jobs) {
    std::string line;
    for (const std::string& word : case_command(job, o, std::to_string(std::max(1, o.threads))))
      line += (line.empty() ? "" : " ") + shell_word(word);
    text += line + "\n";
  }
  const fs::path file = sweep / "commands.txt";
  write_file(file, text);
  return file;
}

}  // namespace rtsim
