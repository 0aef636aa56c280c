#include "sim/event_log.h"

#include <nlohmann/json.hpp>

#include "sim/manifest.h"

namespace rtsim {

EventLog::EventLog(const std::filesystem::path& run_folder) : log_(run_folder / "log.jsonl") {}

void EventLog::add(const std::string& event, long step, const std::string& message) {
  const nlohmann::ordered_json line = {
      {"time", utc_now()}, {"event", event}, {"step", step}, {"message", message}};
  log_.append(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  log_.sync();
}

}  // namespace rtsim
