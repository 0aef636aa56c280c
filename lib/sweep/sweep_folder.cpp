#include "sweep/sweep_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/printable.h"
#include "cache/durable.h"
#include "sim/records/manifest.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr int format_version = 1;

fs::path checked(const fs::path& folder) {
  const bool free = !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
  if (free || is_sweep(folder)) {
    make_folders(folder);
    return folder;
  }
  // What a sweep leaves that was stopped before its sweep.json: only the lock.
  bool only_lock = fs::is_directory(folder);
  if (only_lock)
    for (const auto& entry : fs::directory_iterator(folder))
      only_lock =
          only_lock && (entry.path().filename() == ".lock" || entry.path().extension() == ".tmp");
  if (only_lock) return folder;
  throw Error(ExitCode::output_exists,
              folder.string() +
                  " is not empty and holds no sweep, so it is left alone; choose "
                  "another folder with -o DIR");
}

ordered_json sweep_json(const Sweep& sweep) {
  ordered_json parameters = ordered_json::array(), cases = ordered_json::array();
  for (const SweepParameter& p : sweep.parameters)
    parameters.push_back({{"name", p.name}, {"set", p.pointers}});
  for (const SweepCase& c : sweep.cases) {
    ordered_json values = ordered_json::array();
    for (const std::string& v : c.values) values.push_back(ordered_json::parse(v));
    cases.push_back({{"name", c.name}, {"values", values}});
  }
  return {{"rtsim_sweep_folder", format_version},
          {"sweep_file", sweep.file.string()},
          {"scene_file", sweep.scene.string()},
          {"parameters", parameters},
          {"cases", cases}};
}

ordered_json case_json(const Sweep& sweep, const SweepCase& c, const CaseScene& scene) {
  ordered_json values = ordered_json::object();
  for (std::size_t i = 0; i < c.values.size(); ++i)
    values[sweep.parameters[i].name] = ordered_json::parse(c.values[i]);
  return {{"case", c.name},         {"parameters", values}, {"identity", scene.identity},
          {"frames", scene.frames}, {"steps", scene.steps}, {"bytes", scene.bytes}};
}

// Whole or absent, but not synced: thousands of small files that can be made again.
void put(const fs::path& file, const std::string& text) {
  if (fs::exists(file) && read_file(file) == text) return;
  const fs::path temporary = file.string() + ".tmp";
  write_bytes(temporary, text);
  fs::rename(temporary, file);
}

void check_unchanged(const fs::path& folder, const Sweep& sweep,
                     const std::vector<CaseScene>& scenes) {
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const fs::path own = case_folder(folder, sweep.cases[i].name);
    const auto old = read_case_file(own);
    if (!old || old->identity == scenes[i].identity || !has_manifest(own / "run")) continue;
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the scene {} or a file that it names has changed since case {} "
                            "ran; only its end time may. Sweep into another folder with -o DIR",
                            folder.string(), sweep.scene.string(), sweep.cases[i].name));
  }
}

}  // namespace

fs::path case_folder(const fs::path& sweep, const std::string& name) {
  return sweep / "cases" / name;
}

bool is_sweep(const fs::path& folder) { return fs::exists(folder / "sweep.json"); }

SweepFolder::SweepFolder(const fs::path& path, const Sweep& sweep,
                         const std::vector<CaseScene>& scenes)
    : path_(checked(path)), lock_(path_) {
  check_unchanged(path_, sweep, scenes);
  write_file(path_ / "sweep.json", sweep_json(sweep).dump(1) + "\n");
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const fs::path own = case_folder(path_, sweep.cases[i].name);
    fs::create_directories(own);
    put(own / "scene.json", scenes[i].resolved);
    put(own / "case.json", case_json(sweep, sweep.cases[i], scenes[i]).dump(1) + "\n");
  }
}

SweepFolder::SweepFolder(const fs::path& path) : path_(path) {
  if (!is_sweep(path))
    throw Error(ExitCode::bad_input, path.string() + " holds no sweep: it has no sweep.json");
  lock_.emplace(path_);
}

std::optional<CaseFile> read_case_file(const fs::path& folder) {
  const fs::path file = folder / "case.json";
  if (!fs::exists(file)) return {};
  try {
    const auto j = ordered_json::parse(read_file(file));
    return CaseFile{j.at("identity"), j.at("frames"), j.at("steps"), j.at("bytes")};
  } catch (const ordered_json::exception& e) {
    throw Error(ExitCode::io, fmt::format("{}: damaged: {}", file.string(), printable(e.what())));
  }
}

void add_attempt(const fs::path& folder, const Attempt& a) {
  const ordered_json j = {{"ended", utc_now()},
                          {"executor", a.executor},
                          {"exit_code", a.exit_code},
                          {"signal", a.signal}};
  add_line(folder / "attempts.jsonl", j.dump());
}

std::vector<Attempt> read_attempts(const fs::path& folder) {
  std::vector<Attempt> attempts;
  std::ifstream file(folder / "attempts.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto j = ordered_json::parse(line, nullptr, false);
    if (j.is_object())  // else torn: the machine went down in the middle of it
      attempts.push_back({j.value("executor", ""), j.value("exit_code", -1), j.value("signal", 0)});
  }
  return attempts;
}

}  // namespace rtsim
