#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/nearest.h"
#include "base/numbered_files.h"
#include "cache/durable.h"
#include "commands.h"
#include "scene_folder.h"
#include "sim/catalog.h"
#include "sim/scene_comments.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

struct Shipped {
  std::string name;  // "wcsph/dam_break"
  fs::path file;
  std::string summary;
};

// The comment that a scene begins with, or else which stages it has.
std::string summary_of(const std::string& text) {
  std::string summary;
  const std::size_t first = text.find_first_not_of("{ \n");
  for (std::size_t at = first; at != text.npos && text.compare(at, 2, "//") == 0;) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at + 2, end - at - 2);
    summary += (summary.empty() ? "" : " ") + line.substr(std::min(line.size(), std::size_t(1)));
    at = end == text.npos ? end : text.find_first_not_of(" \n", end);
  }
  if (!summary.empty()) return summary;
  const ordered_json j = ordered_json::parse(text, nullptr, false, true);
  std::vector<std::string> stages;
  for (const ordered_json& s : j.value("stages", ordered_json::array()))
    stages.push_back(s.value("type", ""));
  return fmt::format("{} in {}", fmt::join(stages, ", "),
                     j.value("dim", 3) == 2 ? "the plane" : "space");
}

std::vector<Shipped> shipped_scenes() {
  std::vector<Shipped> all;
  const fs::path folder = scene_folder();
  for (const auto& family : fs::directory_iterator(folder)) {
    const std::string name = family.path().filename().string();
    if (!family.is_directory() || name == "bench" || name == "reference") continue;
    for (const auto& e : fs::directory_iterator(family.path())) {
      const fs::path& file = e.path();
      if (file.extension() != ".json" || file.stem() == "edge") continue;  // edge: for tests
      const std::string text = read_file(file);
      const ordered_json j = ordered_json::parse(text, nullptr, false, true);
      if (j.is_object() && j.contains("rtsim"))
        all.push_back({name + "/" + file.stem().string(), file, summary_of(text)});
    }
  }
  std::ranges::sort(all, {}, &Shipped::name);
  return all;
}

void list_scenes(const std::vector<Shipped>& scenes, bool json) {
  if (json) {
    ordered_json all = ordered_json::array();
    for (const Shipped& s : scenes) all.push_back({{"name", s.name}, {"summary", s.summary}});
    return fmt::print("{}\n", all.dump(2));
  }
  std::size_t longest = 0;
  for (const Shipped& s : scenes) longest = std::max(longest, s.name.size());
  for (const Shipped& s : scenes) fmt::print("{:{}}  {}\n", s.name, longest, s.summary);
}

// By its whole name, or by its last part: of several the first.
const Shipped& find_scene(const std::vector<Shipped>& scenes, const std::string& like) {
  std::vector<const Shipped*> fit;
  std::vector<std::string> names, others;
  for (const Shipped& s : scenes) {
    if (s.name == like) return s;
    const std::string stem = s.name.substr(s.name.find('/') + 1);
    names.push_back(s.name);
    names.push_back(stem);
    if (stem == like) fit.push_back(&s);
  }
  if (fit.empty())
    throw Error(ExitCode::usage,
                fmt::format("--like {}: there is no such scene{}; `rtsim new --list` "
                            "shows them",
                            like, did_you_mean(like, names)));
  for (std::size_t k = 1; k < fit.size(); ++k) others.push_back(fit[k]->name);
  if (!others.empty())
    fmt::print(stderr, "note: this is {}; there are also {}\n", fit[0]->name,
               fmt::join(others, ", "));
  return *fit[0];
}

// The names of a scene's files beside it, by their paths.
std::map<std::string, std::string> names_of(const Scene& scene) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const std::string& path : scene.assets) {
    fs::path name = fs::path(path).filename();
    for (int k = 2; !taken.insert(name.string()).second; ++k)
      name = fmt::format("{}_{}{}", fs::path(path).stem().string(), k, name.extension().string());
    names[path] = name.string();
  }
  return names;
}

// A curve of what is expected is not in the text; the files of a sequence are there as a pattern.
bool is_named(const std::string& text, const std::string& name) {
  if (text.find('"' + name + '"') != text.npos) return true;
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const std::size_t begin = text.rfind('"', at) + 1, end = text.find('"', at);
    if (end != text.npos && number_in(text.substr(begin, end - begin), name)) return true;
  }
  return false;
}

void refuse_taken(const std::vector<fs::path>& files) {
  for (const fs::path& f : files)
    if (fs::exists(f))
      throw Error(
          ExitCode::output_exists,
          f.string() + " is there already and is left alone; choose another name or folder");
}

}  // namespace

ExitCode new_command(const NewFlags& f) {
  const std::vector<Shipped> scenes = shipped_scenes();
  if (f.list) {
    list_scenes(scenes, f.json);
    return ExitCode::done;
  }
  if (f.name.empty() || f.like.empty())
    throw Error(ExitCode::usage,
                "new wants a NAME and --like SCENE; `rtsim new --list` shows the scenes there are");
  const Shipped& from = find_scene(scenes, f.like);
  fs::path file = f.name;
  if (file.extension() != ".json") file += ".json";
  const fs::path folder = file.parent_path();
  Scene scene = read_scene(from.file, {}, stage_catalog());
  scene.expect.clear();  // and what they are held against
  std::map<std::string, std::string> names = names_of(scene);
  const std::string text = read_file(from.file);
  const std::string head = fmt::format(
      "{}\nMade from {}. `rtsim describe TYPE` has the other parameters of a stage, `rtsim manual` "
      "all keys.",
      from.summary, from.name);
  const std::string commented = commented_scene(scene, text, head, names);
  std::vector<fs::path> files{file};
  std::erase_if(names, [&](const auto& n) { return !is_named(commented, n.second); });
  for (const auto& [path, name] : names) files.push_back(folder / name);
  refuse_taken(files);
  make_folders(folder);
  for (const auto& [path, name] : names) write_file(folder / name, read_file(path));
  write_file(file, commented);
  for (const fs::path& written : files) fmt::print("{}\n", written.string());
  return ExitCode::done;
}

}  // namespace rtsim
