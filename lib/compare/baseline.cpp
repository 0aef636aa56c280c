#include "compare/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* records = "baseline.jsonl";

ordered_json manifest_of(const fs::path& run) {
  if (!fs::exists(run / "run.json")) return ordered_json::object();
  return ordered_json::parse(read_file(run / "run.json"), nullptr, false);
}

std::string record(const CompareOptions& o, const Comparison& c, const std::string& why,
                   const std::string& when, const std::string& who) {
  ordered_json j = {{"when", when},
                    {"who", who},
                    {"why", why},
                    {"run", fs::absolute(o.b).lexically_normal().string()}};
  const ordered_json m = manifest_of(o.b);
  for (const char* key : {"identity", "build"})
    if (m.is_object() && m.contains(key)) j[key] = m[key];
  j["differed"] = ordered_json::array();
  for (const auto* list : {&c.series, &c.columns})
    for (const Compared& x : *list)
      if (x.different > 0) j["differed"].push_back(x.name);
  j["faults"] = c.faults;
  return j.dump();
}

void copy(const fs::path& from, const fs::path& to, const char* name) {
  if (fs::exists(from / name)) fs::copy(from / name, to / name, fs::copy_options::recursive);
}

bool is_baseline(const fs::path& folder) {
  return fs::exists(folder / "series.csv") || fs::exists(folder / "frames.jsonl") ||
         fs::exists(folder / records);
}

}  // namespace

void update_baseline(const CompareOptions& o, const Comparison& c, const std::string& why,
                     const std::string& when, const std::string& who) try {
  if (!fs::is_directory(o.b))
    throw Error(ExitCode::usage, "--update wants a run folder, not a log alone");
  if (fs::exists(o.a) && !is_baseline(o.a) && !fs::is_empty(o.a))
    throw Error(ExitCode::output_exists,
                o.a.string() + " holds no baseline, so it is left alone; choose another folder");
  fs::path base = fs::absolute(o.a).lexically_normal();
  if (!base.has_filename()) base = base.parent_path();
  const fs::path fresh = base.string() + ".new", old = base.string() + ".old";
  fs::remove_all(fresh);
  make_folders(fresh);
  for (const char* name : {"series.csv", "scene.resolved.json", "run.json"}) copy(o.b, fresh, name);
  if (o.compare_frames)
    for (const char* name : {"cache", "frames.jsonl"}) copy(o.b, fresh, name);
  copy(base, fresh, records);
  LineLog log(fresh / records);
  log.append(record(o, c, why, when, who));
  log.sync();
  fs::remove_all(old);
  if (fs::exists(base)) fs::rename(base, old);
  fs::rename(fresh, base);
  fs::remove_all(old);
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
