#include "sim/records/event_log.h"

#include <nlohmann/json.hpp>

#include "sim/records/manifest.h"

namespace rtsim {

EventLog::EventLog(const std::filesystem::path& run_folder) : log_(run_folder / "log.jsonl") {}

void EventLog::add(const std::string& event, long step, const std::string& message) {
  write({{"time", utc_now()}, {"event", event}, {"step", step}, {"message", message}});
}

void EventLog::warn(const std::string& key, long step, const std::string& message) {
  write({{"time", utc_now()},
         {"event", "warning"},
         {"step", step},
         {"message", message},
         {"key", key}});
}

void EventLog::write(const nlohmann::ordered_json& line) {
  log_.append(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  log_.sync();
}

std::vector<LoggedWarning> read_warnings(const std::filesystem::path& run_folder) {
  if (!std::filesystem::exists(run_folder / "log.jsonl")) return {};
  const std::string text = read_file(run_folder / "log.jsonl");
  std::vector<LoggedWarning> warnings;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const auto line = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false);
    if (line.is_object() && line.value("event", "") == "warning")
      warnings.push_back({line.value("key", ""), line.value("message", "")});
  }
  return warnings;
}

}  // namespace rtsim
