#include "compare/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/no_run.h"

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

// The folder beside it that an update works in.
struct Places {
  fs::path base, fresh, old;

  explicit Places(const fs::path& given) {
    base = fs::absolute(given).lexically_normal();
    if (!base.has_filename()) base = base.parent_path();
    fresh = base.string() + ".rtsim-new", old = base.string() + ".rtsim-old";
  }

  // An update that was killed between its two renames left the old one aside.
  void recover() const {
    if (!fs::exists(base) && fs::exists(old)) fs::rename(old, base);
    fs::remove_all(fresh), fs::remove_all(old);
  }
  void swap() const {
    if (fs::exists(base)) fs::rename(base, old);
    fs::rename(fresh, base);
    fs::remove_all(old);
  }
};

void check(const Places& p, const fs::path& run) {
  if (!fs::is_directory(run))
    throw Error(ExitCode::usage, "--update wants a run folder, not a log alone");
  if (!fs::exists(run / "run.json")) throw no_run(run);
  if (fs::exists(p.base) && !is_baseline(p.base) && !fs::is_empty(p.base))
    throw Error(ExitCode::output_exists,
                p.base.string() + " holds no baseline, so it is left alone; choose another folder");
  const fs::path b = fs::weakly_canonical(run), a = fs::weakly_canonical(p.base);
  const auto inside = [](const fs::path& x, const fs::path& of) {
    return std::ranges::mismatch(of, x).in1 == of.end();
  };
  if (inside(a, b) || inside(b, a))
    throw Error(ExitCode::usage,
                "--update: a run cannot replace itself; A and B are one folder, or one "
                "lies in the other");
}

void make_fresh(const Places& p, const CompareOptions& o, const std::string& line) {
  make_folders(p.fresh);
  for (const char* name : {"series.csv", "scene.resolved.json", "run.json"})
    copy(o.b, p.fresh, name);
  if (o.compare_frames)
    for (const char* name : {"cache", "frames.jsonl"}) copy(o.b, p.fresh, name);
  copy(p.base, p.fresh, records);
  LineLog log(p.fresh / records);
  log.append(line);
  log.sync();
}

}  // namespace

void update_baseline(const CompareOptions& o, const Comparison& c, const std::string& why,
                     const std::string& when, const std::string& who) try {
  const Places p(o.a);
  check(p, o.b);
  p.recover();
  try {
    make_fresh(p, o, record(o, c, why, when, who));
  } catch (...) {
    std::error_code stays;
    fs::remove_all(p.fresh, stays);
    throw;
  }
  p.swap();
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
