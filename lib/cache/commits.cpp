#include "cache/commits.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "base/printable.h"
#include "cache/durable.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

bool stays_in_cache(const fs::path& path) {
  if (path.empty() || *path.begin() != "cache") return false;
  for (const fs::path& part : path)
    if (part == "..") return false;
  return true;
}

std::uint64_t parse_hex(const std::string& text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw std::invalid_argument("an xxh3 is 16 digits of 0-9a-f");
  return std::stoull(text, nullptr, 16);
}

std::uint64_t count(const json& j) {
  if (!j.is_number_unsigned() || j.get<std::uint64_t>() >> 53 != 0)
    throw std::invalid_argument("a count is a whole number from 0");
  return j.get<std::uint64_t>();
}

WrittenFile file_of(const json& j) {
  WrittenFile f{j.at("path").get<std::string>(), count(j.at("bytes")),
                parse_hex(j.at("xxh3").get<std::string>())};
  if (!stays_in_cache(f.path)) throw std::invalid_argument("a frame's path begins with cache/");
  return f;
}

}  // namespace

CommittedFrame parse_commit(std::string_view line, const std::string& where) {
  try {
    const json j = json::parse(line);
    CommittedFrame c{
        long(count(j.at("frame"))), long(count(j.at("step"))), j.at("time").get<double>(), {}};
    for (const json& f : j.at("files")) c.files.push_back(file_of(f));
    return c;
  } catch (const std::exception& e) {
    throw Error(ExitCode::io, where + ": not a frame's line: " + printable(e.what()));
  }
}

std::vector<CommittedFrame> read_commits(const fs::path& run_folder) {
  const fs::path file = run_folder / "frames.jsonl";
  std::vector<CommittedFrame> commits;
  if (!fs::exists(file)) return commits;
  const std::string text = read_file(file);
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    commits.push_back(parse_commit(std::string_view(text).substr(begin, end - begin),
                                   file.string() + ":" + std::to_string(commits.size() + 1)));
  return commits;
}

namespace {

std::string path_of(const std::string& object, const std::string& stem, long frame,
                    const std::string& ending) {
  char number[32];
  std::snprintf(number, sizeof number, ".%06ld.", frame);
  return "cache/" + object + "/" + stem + number + ending;
}

}  // namespace

std::string frame_path(const std::string& object, long frame, Format format) {
  return path_of(object, object, frame, format == Format::hdf5 ? "hdf" : "vdb");
}

std::string surface_path(const std::string& object, long frame, const std::string& file) {
  return path_of(object, object + ".surface", frame, file == "sdf" ? "vdb" : file);
}

std::vector<std::string> frame_paths(const std::string& object, long frame, const Output& o) {
  if (o.format != Format::surface) return {frame_path(object, frame, o.format)};
  std::vector<std::string> paths;
  for (const std::string& file : o.surface.files)
    paths.push_back(surface_path(object, frame, file));
  return paths;
}

std::string object_of(const WrittenFile& f) {
  return std::filesystem::path(f.path).parent_path().filename().string();
}

bool is_hdf5(const WrittenFile& f) { return std::filesystem::path(f.path).extension() == ".hdf"; }

std::optional<long> frame_number(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending != ".hdf" && ending != ".vdb" && ending != ".ply" && ending != ".obj" &&
      ending != ".stl")
    return std::nullopt;
  std::string digits = file.stem().extension().string();  // ".000012"
  if (digits.size() < 7 || digits.size() > 18) return std::nullopt;
  digits.erase(0, 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stol(digits);
}

}  // namespace rtsim
