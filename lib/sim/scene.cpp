#include "sim/scene.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/numbered_files.h"
#include "param/json_reader.h"
#include "param/resolved.h"
#include "sim/scene_check.h"
#include "sim/scene_describe.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

using FileText = std::function<std::string(const std::string&)>;

std::string file_contents(const fs::path& path) {
  if (fs::is_directory(path))
    throw Error(ExitCode::bad_input, path.string() + ": is a folder; name the scene's JSON file");
  return read_input(path, largest_text);
}

// 3 unless the text says 2: needed before anything with vectors is read.
int dim_of(const json& scene) {
  return scene.is_object() && scene.contains("dim") && scene["dim"] == 2 ? 2 : 3;
}

// Editors' key, no part of the scene.
void drop_schema_key(json& scene, ReadLog& log) {
  if (!scene.is_object() || !scene.contains("$schema")) return;
  if (!scene["$schema"].is_string()) log.problems.push_back({"/$schema", "must be a text"});
  scene.erase("$schema");
}

void assign_roles(Scene& scene, const std::vector<ObjectUse>& uses) {
  for (const ObjectUse& use : uses)
    for (std::size_t i = 0; i < scene.stages.size(); ++i)
      if (use.pointer.starts_with("/stages/" + std::to_string(i) + "/"))
        scene.stages[i].roles.push_back({use.pointer, use.key, use.object});
}

std::vector<std::string> unique_files(const std::vector<std::string>& files) {
  std::vector<std::string> unique;
  for (const std::string& f : files)
    if (std::find(unique.begin(), unique.end(), f) == unique.end()) unique.push_back(f);
  return unique;
}

ordered_json resolve(Scene& scene, const FileText& file_text) {
  return resolved_json([&](Describe& d) { describe(d, scene, {}); }, scene.dim, file_text);
}

std::string identity_of(Scene scene, const FileText& file_text) {
  ordered_json j = resolve(scene, file_text);
  for (const char* end : {"frames", "duration"}) j["time"].erase(end);
  j.erase("checkpoint_keep");  // no frame knows of it
  const std::string text = j.dump();
  return hex(hash_bytes(text.data(), text.size()));
}

std::string hash_of_list(const std::string& hashes) {
  return hex(hash_bytes(hashes.data(), hashes.size()));
}

// Of a file, or of all files of a sequence in their order.
std::string contents_hash(const std::string& path) {
  if (path.find('#') == std::string::npos || fs::exists(path)) return hex(hash_file(path));
  std::string hashes;
  for (const NumberedFile& f : numbered_files(path)) hashes += hex(hash_file(f.path));
  return hash_of_list(hashes);
}

using Contents = std::vector<std::pair<std::string, std::string>>;  // paths, hashes

// As contents_hash() has it, by what the files had; the path itself where none is known.
std::string known_hash(const std::string& path, const Contents& contents) {
  const auto known = std::ranges::find(contents, path, &Contents::value_type::first);
  if (known != contents.end()) return known->second;
  std::map<std::int64_t, std::string> by_number;
  for (const auto& [file, hash] : contents)
    if (const auto number = number_in(path, file)) by_number[*number] = hash;
  std::string hashes;
  for (const auto& [number, hash] : by_number) hashes += hash;
  return hashes.empty() ? path : hash_of_list(hashes);
}

std::string same(const std::string& path) { return path; }

enum class Files { named, opened };

Scene read(std::string text, const std::string& name, const fs::path& folder,
           const std::vector<std::string>& overrides, const std::vector<StageType>& catalog,
           Files files) {
  Scene scene;
  scene.source = parse_json(std::move(text), name);
  JsonText& source = scene.source;
  for (const std::string& set : overrides) apply_override(source, set);
  ReadLog log{.dim = 3, .folder = folder, .problems = source.problems, .uses = {}, .files = {}};
  if (source.value) {
    log.dim = dim_of(*source.value);
    drop_schema_key(*source.value, log);
    read_json(*source.value, "", log, [&](Describe& d) { describe(d, scene, catalog); });
    check_scene(scene, source, log);
    if (files == Files::opened) check_files(scene, source, log);
  }
  if (!log.problems.empty()) throw Error(ExitCode::bad_input, source.lines(log.problems));
  assign_roles(scene, log.uses);
  scene.assets = unique_files(log.files);
  scene.resolved = resolve(scene, same).dump(2) + "\n";
  scene.identity = identity_of(scene, files == Files::opened ? contents_hash : same);
  return scene;
}

}  // namespace

Scene read_scene_text(std::string text, const std::string& name, const fs::path& folder,
                      const std::vector<std::string>& overrides,
                      const std::vector<StageType>& catalog) {
  return read(std::move(text), name, folder, overrides, catalog, Files::named);
}

Scene read_scene(const fs::path& path, const std::vector<std::string>& overrides,
                 const std::vector<StageType>& catalog) {
  const fs::path file = fs::absolute(path).lexically_normal();
  Scene scene = read(file_contents(path), path.string(), file.parent_path(), overrides, catalog,
                     Files::opened);
  scene.file = file;
  return scene;
}

std::string scene_identity(const Scene& scene,
                           const std::vector<std::pair<std::string, std::string>>& contents) {
  return identity_of(scene, [&](const std::string& path) { return known_hash(path, contents); });
}

std::string scene_problem(const Scene& scene, const std::string& pointer,
                          const std::string& message) {
  return scene.source.line({pointer, message});
}

}  // namespace rtsim
