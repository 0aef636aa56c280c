#include "cache/verify.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "cache/checkpoint.h"
#include "cache/commits.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// Numbered lines of a text; the last may lack its newline, and is then torn.
struct Lines {
  std::vector<std::string_view> whole;
  bool torn = false;
};

Lines split(std::string_view text) {
  Lines lines;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    lines.whole.push_back(text.substr(0, end));
  lines.torn = !text.empty();
  return lines;
}

std::string at(const char* file, std::size_t line) {
  return std::string(file) + ":" + std::to_string(line) + ": ";
}

std::string damage(const fs::path& file, const WrittenFile& f) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(file, missing);
  if (missing) return missing.message();
  if (bytes != f.bytes)
    return std::to_string(bytes) + " bytes, not the " + std::to_string(f.bytes) +
           " of frames.jsonl";
  return hash_file(file) == f.xxh3 ? "" : "its checksum is not that of frames.jsonl";
}

void check_file(const fs::path& folder, const WrittenFile& f, Verdict& v) {
  ++v.files;
  v.bytes += f.bytes;
  try {
    const std::string what = damage(folder / f.path, f);
    if (!what.empty()) v.problems.push_back(f.path + ": " + what);
  } catch (const Error& e) {  // it cannot be read
    v.problems.push_back(e.what());
  }
}

// A run that was killed before its first frame has neither logs nor frames, and is whole.
bool log_exists(const fs::path& folder, const char* name, Verdict& v) {
  if (fs::exists(folder / name)) return true;
  if (fs::exists(folder / "cache") || fs::exists(folder / "checkpoints"))
    v.problems.push_back(std::string(name) + ": missing");
  return false;
}

void check_frames(const fs::path& folder, std::string_view log, Verdict& v) {
  const Lines lines = split(log);
  long expected = 0;
  for (std::size_t k = 0; k < lines.whole.size(); ++k) try {
      const CommittedFrame c =
          parse_commit(lines.whole[k], "frames.jsonl:" + std::to_string(k + 1));
      if (c.frame != expected)
        v.problems.push_back(at("frames.jsonl", k + 1) + "frame " + std::to_string(c.frame) +
                             " stands where frame " + std::to_string(expected) + " should");
      expected = c.frame + 1;
      ++v.frames;
      for (const WrittenFile& f : c.files) check_file(folder, f, v);
    } catch (const Error& e) {
      v.problems.push_back(e.what());
      ++expected;
    }
  if (lines.torn)
    v.problems.push_back(at("frames.jsonl", lines.whole.size() + 1) + "the line is cut");
}

void check_series(const fs::path& folder, Verdict& v) {
  if (!log_exists(folder, "series.csv", v)) return;
  const std::string text = read_file(folder / "series.csv");
  const Lines lines = split(text);
  const auto fields = [](std::string_view line) { return std::ranges::count(line, ',') + 1; };
  for (std::size_t k = 1; k < lines.whole.size(); ++k)
    if (fields(lines.whole[k]) != fields(lines.whole[0]))
      v.problems.push_back(at("series.csv", k + 1) + std::to_string(fields(lines.whole[k])) +
                           " fields, the header has " + std::to_string(fields(lines.whole[0])));
  if (lines.torn) v.problems.push_back(at("series.csv", lines.whole.size() + 1) + "the row is cut");
}

// What a log cannot show itself: that whole lines of it were lost, or changed, since a checkpoint
// saw it.
std::string loss(const fs::path& folder, const char* name, const LogEnd& seen) {
  if (seen.bytes == 0) return "";
  const std::string log = fs::exists(folder / name) ? read_file(folder / name) : "";
  if (log.size() < seen.bytes)
    return std::string(name) + ": its end is lost: " + std::to_string(log.size()) +
           " bytes, a checkpoint saw " + std::to_string(seen.bytes);
  if (hash_bytes(log.data(), seen.bytes) == seen.xxh3) return "";
  return std::string(name) + ": changed: its first " + std::to_string(seen.bytes) +
         " bytes have another checksum than when a checkpoint saw them";
}

// Both logs; returns what frames.jsonl had lost.
std::string check_logs(const fs::path& folder, const Progress& p, Verdict& v) {
  const std::string frames = loss(folder, "frames.jsonl", p.frames_log);
  for (const std::string& what : {frames, loss(folder, "series.csv", p.series)})
    if (!what.empty()) v.problems.push_back(what);
  return frames;
}

// The newest that is whole saw the most of the logs.
void check_checkpoints(const fs::path& folder, Verdict& v) {
  std::optional<Progress> newest;
  for (const fs::path& file : marked_checkpoints(folder)) try {
      ++v.checkpoints;
      const Progress p = check_checkpoint(file);
      v.bytes += fs::file_size(file);
      if (!newest) newest = p;
    } catch (const Error& e) {
      v.problems.push_back(e.what());
    }
  if (newest) check_logs(folder, *newest, v);
}

}  // namespace

Verdict verify_run(const fs::path& run_folder) {
  Verdict v;
  try {
    if (log_exists(run_folder, "frames.jsonl", v))
      check_frames(run_folder, read_file(run_folder / "frames.jsonl"), v);
    check_series(run_folder, v);
    check_checkpoints(run_folder, v);
  } catch (const fs::filesystem_error& e) {
    throw Error(ExitCode::io, e.what());
  }
  return v;
}

std::vector<std::string> damage_before(const fs::path& run_folder, const Progress& progress) {
  Verdict v;
  if (check_logs(run_folder, progress, v).empty() && progress.frames_log.bytes > 0)
    check_frames(run_folder,
                 read_file(run_folder / "frames.jsonl").substr(0, progress.frames_log.bytes), v);
  return v.problems;
}

}  // namespace rtsim
