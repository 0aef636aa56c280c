#include "sim/records/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

using Json = nlohmann::ordered_json;

namespace {

// An event a line, written as it is formatted: a long run has a million.
void write_events(std::ostream& out, const Profile& profile) {
  out << R"({"otherData":{"events_left_out":)" << profile.events_left_out()
      << R"(},"traceEvents":[)";
  const char* between = "\n";
  for (const Profile::Event& e : profile.events()) {
    out << between
        << fmt::format(R"({{"name":{},"ph":"X","pid":0,"tid":0,"ts":{:.3f},"dur":{:.3f}}})",
                       Json(e.label).dump(), e.start * 1e6, e.seconds * 1e6);
    between = ",\n";
  }
  out << "\n]}\n";
}

void write_trace(const std::filesystem::path& file, const Profile& profile) {
  write_durably(file, [&](const std::filesystem::path& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    write_events(out, profile);
    out.close();
    if (!out)
      throw Error(ExitCode::io,
                  fmt::format("{}: cannot write: {}", temporary.string(), std::strerror(errno)));
  });
}

}  // namespace

void write_profile_file(const std::filesystem::path& run_folder, const Profile& profile,
                        const RunCost& cost) {
  Json labels = Json::array();
  for (const Profile::Row& r : profile.rows())
    labels.push_back(
        {{"label", r.label}, {"launches", r.launches}, {"rows", r.rows}, {"seconds", r.seconds}});
  const Json file = {{"wall_seconds", cost.wall},
                     {"steps", cost.steps},
                     {"rows", cost.rows},
                     {"million_row_steps_per_second",
                      cost.wall > 0 ? cost.rows * double(cost.steps) / cost.wall / 1e6 : 0},
                     {"pairs", cost.pairs},
                     {"million_pair_steps_per_second",
                      cost.wall > 0 ? cost.pairs * double(cost.steps) / cost.wall / 1e6 : 0},
                     {"writer_seconds", cost.writer_seconds},
                     {"writer_bytes", cost.writer_bytes},
                     {"peak_bytes", cost.peak_bytes},
                     {"labels", std::move(labels)}};
  write_file(run_folder / "profile.json", file.dump(2) + "\n");
  if (profile.trace) write_trace(run_folder / "trace.json", profile);
}

std::string profile_table(const Profile& profile, double wall) {
  std::vector<Profile::Row> rows = profile.rows();
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  std::string text = fmt::format("{:<28} {:>10} {:>10} {:>8} {:>10}\n", "label", "launches",
                                 "seconds", "share", "ns/row");
  for (const Profile::Row& r : rows)
    text +=
        fmt::format("{:<28} {:>10} {:>10.3f} {:>7.1f}% {:>10.2f}\n", r.label, r.launches, r.seconds,
                    100 * r.seconds / wall, r.rows ? r.seconds / double(r.rows) * 1e9 : 0);
  return text;
}

}  // namespace rtsim
