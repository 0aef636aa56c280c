#include "cache/resume.h"

#include <set>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/series_file.h"
#include "cache/verify.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// Deleted in this order.
constexpr const char* run_files[] = {"scene.resolved.json", "frames.jsonl", "series.csv",
                                     "log.jsonl",           "profile.json", "trace.json",
                                     "expect.json",         "run.json"};

void check_length(const fs::path& file, std::uint64_t bytes) {
  std::error_code missing;
  const std::uintmax_t have = fs::file_size(file, missing);
  if (missing ? bytes == 0 : have >= bytes) return;
  throw Error(ExitCode::io, file.string() + ": its end is lost: the checkpoint saw " +
                                std::to_string(bytes) + " bytes, " +
                                std::to_string(missing ? 0 : have) +
                                " are left; put it back, or run again with --overwrite");
}

// Which files are frames stands in no other place: those of other lines would be deleted.
void check_frames_log(const fs::path& file, const LogEnd& end) {
  check_length(file, end.bytes);
  if (end.bytes == 0) return;
  const std::string text = read_file(file);
  if (hash_bytes(text.data(), end.bytes) == end.xxh3) return;
  throw Error(ExitCode::io, file.string() +
                                ": its lines are not those that the checkpoint saw, so frames "
                                "cannot be told from remains; put it back, or run again with "
                                "--overwrite");
}

void cut(const fs::path& file, std::uint64_t bytes) {
  if (fs::exists(file) && fs::file_size(file) > bytes) truncate_file(file, bytes);
}

void drop_torn_line(const fs::path& file) {
  if (!fs::exists(file)) return;
  const std::string text = read_file(file);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole != text.size()) truncate_file(file, whole);
}

std::set<fs::path> committed_files(const fs::path& run_folder) {
  std::set<fs::path> files;
  for (const CommittedFrame& c : read_commits(run_folder))
    for (const WrittenFile& f : c.files) files.insert((run_folder / f.path).lexically_normal());
  return files;
}

bool is_temporary(const fs::path& file) {
  return file.extension() == ".tmp" && frame_number(fs::path(file).replace_extension()).has_value();
}

// Only files with a frame's name: whatever else someone put there stays.
void remove_later_frames(const fs::path& run_folder) {
  const std::set<fs::path> committed = committed_files(run_folder);
  if (!fs::exists(run_folder / "cache")) return;
  for (const auto& object : fs::directory_iterator(run_folder / "cache")) {
    if (object.path().string().ends_with(".hdf.series.tmp")) fs::remove(object.path());
    if (!object.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(object.path())) {
      const fs::path& file = entry.path();
      const bool is_later = frame_number(file) && !committed.contains(file.lexically_normal());
      if (is_later || is_temporary(file)) fs::remove(file);
    }
  }
}

void remove_later_checkpoints(const fs::path& run_folder, long step) {
  for (const fs::path& file : marked_checkpoints(run_folder)) {
    if (std::stol(file.stem().string()) <= step) continue;
    fs::remove(fs::path(file).replace_extension(".complete"));
    fs::remove(file);
  }
  const fs::path folder = run_folder / "checkpoints";
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& file = entry.path();
    const bool is_unmarked =
        file.extension() == ".h5" && !fs::exists(fs::path(file).replace_extension(".complete"));
    if (is_unmarked || file.extension() == ".tmp") fs::remove(file);
  }
}

void remove_temporaries(const fs::path& run_folder) {
  for (const char* name : run_files) fs::remove(run_folder / (std::string(name) + ".tmp"));
}

}  // namespace

std::optional<CheckpointFile> find_resume_point(const fs::path& run_folder, std::string& warnings) {
  for (const fs::path& file : marked_checkpoints(run_folder)) {
    try {
      const Progress progress = check_checkpoint(file);
      const std::vector<std::string> damage = damage_before(run_folder, progress);
      if (damage.empty()) return CheckpointFile{file, progress};
      const std::string more =
          damage.size() == 1 ? "" : " and " + std::to_string(damage.size() - 1) + " more";
      warnings += file.string() + ": not all that it saw is whole: " + damage[0] + more + "\n";
    } catch (const Error& e) {
      warnings += std::string(e.what()) + "\n";
    }
  }
  return std::nullopt;
}

void cut_back(const fs::path& run_folder, const Progress& progress) try {
  check_frames_log(run_folder / "frames.jsonl", progress.frames_log);
  check_length(run_folder / "series.csv", progress.series.bytes);
  cut(run_folder / "frames.jsonl", progress.frames_log.bytes);
  cut(run_folder / "series.csv", progress.series.bytes);
  drop_torn_line(run_folder / "series.csv");  // of one that was changed the cut falls anywhere
  drop_torn_line(run_folder / "log.jsonl");
  remove_later_frames(run_folder);
  remove_later_checkpoints(run_folder, progress.step);
  remove_temporaries(run_folder);
  rewrite_series(run_folder);
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

void clear_run(const fs::path& run_folder) try {
  fs::remove_all(run_folder / "cache");
  fs::remove_all(run_folder / "checkpoints");
  remove_temporaries(run_folder);
  for (const char* name : run_files) fs::remove(run_folder / name);
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
