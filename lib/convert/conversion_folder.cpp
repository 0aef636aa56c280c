#include "convert/conversion_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* marker = "convert.json";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool holds_something(const fs::path& folder) {
  if (!fs::is_directory(folder)) return fs::exists(folder);
  return std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& e) {
    return e.path().filename() != ".lock" && e.path().extension() != ".tmp";
  });
}

// What must be the same for a conversion to go on.
ordered_json options_of(const Conversion& c) {
  return {{"identity", c.run_id},
          {"to", c.to},
          {"objects", c.objects},
          {"columns", c.columns},
          {"frames",
           {{"first", c.frames.first},
            {"end", c.frames.end ? ordered_json(*c.frames.end) : ordered_json()},
            {"step", c.frames.step}}},
          {"output", ordered_json::parse(c.description)}};
}

ordered_json read_marker(const fs::path& out) {
  const ordered_json j = ordered_json::parse(read_file(out / marker), nullptr, false);
  return j.is_object() ? j : ordered_json::object();
}

// The first option that an earlier call had otherwise; empty if none.
std::string other_option(const Conversion& c) {
  const ordered_json before = read_marker(c.out), asked = options_of(c);
  for (const auto& [key, value] : asked.items()) {
    const ordered_json was = before.contains(key) ? before[key] : ordered_json();
    if (was != value)
      return fmt::format("\"{}\" was {} and now is {}", key, was.dump(), value.dump());
  }
  return "";
}

// Whether what is there goes on.
bool check_free(const Conversion& c) {
  if (!holds_something(c.out)) return false;
  if (!fs::exists(c.out / marker))
    throw Error(ExitCode::output_exists,
                c.out.string() +
                    " is not empty and holds no conversion, so it is left alone; "
                    "choose another folder with -o OUT");
  if (c.overwrite) return false;
  const std::string other = other_option(c);
  if (other.empty()) return true;
  throw Error(ExitCode::output_exists,
              fmt::format("{} holds another conversion ({}); --overwrite replaces it, -o OUT goes "
                          "elsewhere",
                          c.out.string(), other));
}

// Removes what a conversion writes. The marker stays, so that a folder half cleared still is one's.
void clear(const fs::path& out) {
  fs::remove(out / "frames.jsonl");  // first: its lines say what is there
  fs::remove_all(out / "cache");
}

void remove_temporaries(const fs::path& out) {
  if (!fs::exists(out / "cache")) return;
  for (const auto& e : fs::recursive_directory_iterator(out / "cache"))
    if (e.path().extension() == ".tmp") fs::remove(e.path());
}

bool is_there(const fs::path& out, const std::string& path, std::uint64_t bytes) {
  std::error_code none;
  return fs::file_size(out / path, none) == bytes && !none;
}

bool is_there(const fs::path& out, const CommittedFrame& frame) {
  return std::ranges::all_of(frame.files,
                             [&](const WrittenFile& f) { return is_there(out, f.path, f.bytes); });
}

// Files of several frames, which a conversion lists at its end.
bool has_files(const fs::path& out, const ordered_json& of_marker) {
  const ordered_json files = of_marker.value("files", ordered_json::array());
  return std::ranges::all_of(files, [&](const ordered_json& f) {
    return f.is_object() && is_there(out, f.value("path", ""), f.value("bytes", std::uint64_t(0)));
  });
}

}  // namespace

ConversionFolder::ConversionFolder(const Conversion& c, const ConversionPlan& plan, bool goes_on)
    : c_(c), since_(now()) {
  check_free(c);
  make_folders(c.out);
  lock_ = std::make_unique<FolderLock>(c.out);
  bool found = check_free(c);  // somebody may have been faster
  if (found) {
    const ordered_json before = read_marker(c.out);
    const bool was_complete = before.value("complete", false);
    found = !was_complete || has_files(c.out, before);  // else there is nothing to go on from
    remove_temporaries(c.out);
    if (found) find_done(plan);
    complete_ = found && was_complete && done_ == plan.frames.size();
  }
  if (!found || (!goes_on && !complete_)) clear(c.out), done_ = 0;
  if (!complete_) write_marker({});
  log_ = LineLog(c.out / "frames.jsonl");
}

// Lines count as long as they are those of the plan and their files are there; the rest is cut off.
void ConversionFolder::find_done(const ConversionPlan& plan) {
  const fs::path log = c_.out / "frames.jsonl";
  if (!fs::exists(log)) return;
  const std::vector<CommittedFrame> lines = read_commits(c_.out);
  while (done_ < std::min(lines.size(), plan.frames.size()) &&
         lines[done_].frame == plan.frames[done_].frame && is_there(c_.out, lines[done_]))
    ++done_;
  const std::string text = read_file(log);
  std::size_t end = 0;
  for (std::size_t k = 0; k < done_; ++k) end = text.find('\n', end) + 1;
  if (end < text.size()) truncate_file(log, end);
}

void ConversionFolder::write_marker(const std::vector<WrittenFile>& files) const {
  ordered_json j = {{"rtsim_convert", 2},
                    {"run", fs::absolute(c_.run).lexically_normal().string()}};
  j.update(options_of(c_));
  j["complete"] = complete_;
  j["files"] = ordered_json::parse(commit_line({}, files))["files"];
  write_file(c_.out / marker, j.dump(2) + "\n");
}

void ConversionFolder::add(const CommittedFrame& frame, const std::vector<WrittenFile>& files) {
  lines_.push_back(commit_line({frame.frame, frame.step, frame.time, {}}, files));
  for (const WrittenFile& f : files) {
    unsynced_.push_back(c_.out / f.path);
    bytes_ += f.bytes;
  }
}

// Syncing costs the disk a pause, so it is done for many files together; a kill loses as much.
bool ConversionFolder::is_due() const {
  constexpr std::uint64_t enough = 256 << 20;
  constexpr double long_enough = 2;  // [s]
  return bytes_ >= enough || now() - since_ >= long_enough;
}

void ConversionFolder::commit() {
  std::set<fs::path> folders;
  for (const fs::path& file : unsynced_) {
    sync_path(file);
    folders.insert(file.parent_path());
  }
  for (const fs::path& folder : folders) sync_path(folder);
  for (const std::string& line : lines_) log_.append(line);
  log_.sync();
  lines_.clear(), unsynced_.clear();
  bytes_ = 0, since_ = now();
}

void ConversionFolder::complete(const std::vector<WrittenFile>& files) {
  complete_ = true;
  write_marker(files);
}

}  // namespace rtsim
