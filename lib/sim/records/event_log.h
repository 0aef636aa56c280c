#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/durable.h"

namespace rtsim {

// log.jsonl: what happened beside the numbers, with wall-clock times, a line each:
//   {"time":"2026-01-31T12:00:00Z","event":"checkpoint","step":240,"message":""}
class EventLog {
 public:
  explicit EventLog(const std::filesystem::path& run_folder);
  void add(const std::string& event, long step, const std::string& message = "");
  // A warning that a run gives once, whatever resumes it: `key` tells it from others.
  void warn(const std::string& key, long step, const std::string& message);

 private:
  void write(const nlohmann::ordered_json&);

  LineLog log_;
};

struct LoggedWarning {
  std::string key, message;
};
// The warnings of a run, in order; none where there is no log.
std::vector<LoggedWarning> read_warnings(const std::filesystem::path& run_folder);

}  // namespace rtsim
