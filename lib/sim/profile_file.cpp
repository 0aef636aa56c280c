#include "sim/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cache/durable.h"

namespace rtsim {

using Json = nlohmann::ordered_json;

namespace {

void write_trace(const std::filesystem::path& file, const Profile& profile) {
  Json events = Json::array();
  for (const Profile::Event& e : profile.events())
    events.push_back({{"name", e.label}, {"ph", "X"}, {"pid", 0}, {"tid", 0}, {"ts", e.start * 1e6}, {"dur", e.seconds * 1e6}});
  write_file(file, Json({{"traceEvents", std::move(events)}}).dump());
}

}  // namespace

void write_profile_file(const std::filesystem::path& run_folder, const Profile& profile, const RunCost& cost) {
  Json labels = Json::array();
  for (const Profile::Row& r : profile.rows())
    labels.push_back({{"label", r.label}, {"launches", r.launches}, {"rows", r.rows}, {"seconds", r.seconds}});
  const Json file = {{"wall_seconds", cost.wall},
                     {"steps", cost.steps},
                     {"rows", cost.rows},
                     {"million_row_steps_per_second", cost.wall > 0 ? cost.rows * double(cost.steps) / cost.wall / 1e6 : 0},
                     {"writer_seconds", cost.writer_seconds},
                     {"writer_bytes", cost.writer_bytes},
                     {"peak_bytes", cost.peak_bytes},
                     {"labels", std::move(labels)}};
  write_file(run_folder / "profile.json", file.dump(2) + "\n");
  if (profile.trace) write_trace(run_folder / "trace.json", profile);
}

std::string profile_table(const Profile& profile, double wall) {
  std::vector<Profile::Row> rows = profile.rows();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  std::string text = fmt::format("{:<28} {:>10} {:>10} {:>8} {:>10}\n", "label", "launches", "seconds", "share", "ns/row");
  for (const Profile::Row& r : rows)
    text += fmt::format("{:<28} {:>10} {:>10.3f} {:>7.1f}% {:>10.2f}\n", r.label, r.launches, r.seconds,
                        100 * r.seconds / wall, r.rows ? r.seconds / double(r.rows) * 1e9 : 0);
  return text;
}

}  // namespace rtsim
