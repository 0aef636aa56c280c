#include "foam_scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "sim/catalog.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

const ordered_json& named(const ordered_json& objects, const std::string& name) {
  return *std::ranges::find_if(objects, [&](const auto& o) { return o.at("name") == name; });
}

// Particles with HDF5 frames, but for foam.
std::vector<std::string> liquids(const ordered_json& scene) {
  std::vector<std::string> names;
  for (const ordered_json& o : scene.at("output")) {
    const std::string name = o.at("object");
    const bool foam = std::ranges::any_of(
        scene.at("stages"), [&](const auto& s) { return s.value("foam", "") == name; });
    if (o.at("format") == "hdf5" && !foam &&
        named(scene.at("objects"), name).at("kind") == "particles")
      names.push_back(name);
  }
  return names;
}

std::string liquid_of(const fs::path& run, const ordered_json& scene, const std::string& asked) {
  const std::vector<std::string> all = liquids(scene);
  const auto has = [&](const std::string& name) { return std::ranges::count(all, name) > 0; };
  if (!asked.empty() && has(asked)) return asked;
  if (asked.empty() && all.size() == 1) return all[0];
  throw Error(
      ExitCode::bad_input,
      all.empty()     ? fmt::format("{}: no particles have HDF5 frames; give the scene an output "
                                        "{{\"object\": ..., \"format\": \"hdf5\"}}",
                                    run.string())
      : asked.empty() ? fmt::format("{}: frames of {}; say behind which with --object",
                                    run.string(), fmt::join(all, ", "))
                      : fmt::format("{}: no HDF5 frames of particles '{}'; there are those of {}",
                                    run.string(), asked, fmt::join(all, ", ")));
}

// The stage that moves it.
ordered_json stage_of(const ordered_json& scene, const std::string& liquid) {
  for (const ordered_json& s : scene.at("stages"))
    if (s.value("fluid", "") == liquid && s.at("type") != "foam" && s.at("type") != "emit" &&
        s.at("type") != "remove" && s.at("type") != "force_field")
      return s;
  return ordered_json::object();
}

// Of the stage's boundary what keeps foam in: not bodies, meshes and what deforms, which foam does
// not feel.
ordered_json walls_of(const ordered_json& objects, const ordered_json& stage) {
  ordered_json walls = ordered_json::array();
  for (const std::string name : stage.value("boundary", ordered_json::array())) {
    const ordered_json& o = named(objects, name);
    const bool deforms = o.contains("deformation") && !o.at("deformation").is_null();
    if (o.at("kind") == "boundary" && !deforms) walls.push_back(name);
  }
  return walls;
}

std::vector<double> first_place(const FrameObject& o) {
  const FrameColumn& c = o.columns.front();
  std::vector<double> x;
  for (int a = 0; a < o.dim && o.rows > 0; ++a)
    x.push_back(c.type.scalar == Scalar::f32
                    ? double(reinterpret_cast<const float*>(c.bytes.data())[a])
                    : reinterpret_cast<const double*>(c.bytes.data())[a]);
  return x;
}

// The closed sides of the liquid's grid as a box; the others are far off.
ordered_json sides_of(const ordered_json& grid, const ordered_json& stage) {
  ordered_json low = grid.at("min"), high = grid.at("max");
  const ordered_json sides = stage.value("sides", ordered_json::object());
  bool any = false;
  for (std::size_t a = 0; a < low.size(); ++a) {
    const double length = high[a].get<double>() - low[a].get<double>();
    for (const bool end : {false, true}) {
      const std::string side = std::string(1, "xyz"[a]) + (end ? "_high" : "_low");
      const std::string kind = sides.contains(side) && sides.at(side).is_object()
                                   ? sides.at(side).value("kind", "")
                                   : "";
      const bool open = kind == "open" || kind == "periodic";
      any = any || !open;
      ordered_json& at = (end ? high : low)[a];
      if (open) at = at.get<double>() + (end ? 100 : -100) * length;
    }
  }
  if (!any) return nullptr;
  return {{"name", grid.at("name").get<std::string>() + "_sides"},
          {"kind", "boundary"},
          {"shape", {{"box", {{"min", low}, {"max", high}}}, {"inside", true}}}};
}

// The frames of the liquid: the last one's number, and a particle of the first that has any. Their
// spacing is that of the fill's whole cells, and need not be the scene's.
struct Frames {
  long last = 0;
  std::vector<double> place;  // [m]
  double spacing = 0;         // [m]
};
Frames frames_of(const fs::path& run, const std::string& liquid) {
  Frames found;
  for (const CommittedFrame& f : read_commits(run))
    for (const WrittenFile& w : f.files) {
      if (!is_hdf5(w) || object_of(w) != liquid) continue;
      found.last = f.frame;
      if (!found.place.empty()) continue;
      const FrameObject first = read_frame(run, w);
      found.place = first_place(first), found.spacing = first.spacing;
    }
  if (found.last == 0 || found.place.empty())
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: no particles of '{}' in frames after the first", run.string(), liquid));
  return found;
}

std::string scene_text(const fs::path& run, const std::string& liquid) {
  const fs::path file = run / "scene.resolved.json";
  if (!fs::exists(file))
    throw Error(ExitCode::bad_input, fmt::format("{}: no run is there", run.string()));
  const ordered_json of_run = ordered_json::parse(read_file(file));
  const std::string name = liquid_of(run, of_run, liquid);
  const ordered_json stage = stage_of(of_run, name);
  const ordered_json& objects = of_run.at("objects");
  if (stage.value("band", 0) > 0)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: frames have the particles of '{}' near its surface alone, and "
                            "inside of them foam would see another surface; run it without "
                            "\"band\"",
                            run.string(), name));

  ordered_json water = {{"name", name}, {"kind", "particles"}}, walls = walls_of(objects, stage),
               all = ordered_json::array();
  // A particle to begin with, which those of the frames replace at once.
  const Frames frames = frames_of(run, name);
  ordered_json low = ordered_json::array(), high = low;
  for (const double x : frames.place)
    low.push_back(x - frames.spacing / 2), high.push_back(x + frames.spacing / 2);
  water["spacing"] = frames.spacing;
  water["fill"] = {{"box", {{"min", low}, {"max", high}}}};
  all.push_back(water);
  all.push_back({{"name", "foam"}, {"kind", "particles"}, {"spacing", water["spacing"]}});
  for (const ordered_json& wall : walls) all.push_back(named(objects, wall));
  if (stage.contains("grid"))
    if (const ordered_json sides = sides_of(named(objects, stage.at("grid")), stage);
        !sides.is_null())
      walls.push_back(sides.at("name")), all.push_back(sides);

  ordered_json foam = {{"type", "foam"}, {"fluid", name}, {"foam", "foam"}};
  foam["frames"] = fs::absolute(run / "frames.jsonl").lexically_normal().string();
  foam["boundary"] = walls;
  if (stage.contains("periodic") && stage.at("periodic").is_object())
    foam["periodic"] = stage.at("periodic");

  ordered_json scene = {{"rtsim", 1}};
  for (const char* key : {"dim", "seed", "gravity", "time"}) scene[key] = of_run.at(key);
  scene["time"]["duration"] = nullptr, scene["time"]["frames"] = frames.last;
  scene["objects"] = all, scene["stages"] = {foam};
  scene["output"] = {{{"object", "foam"}, {"format", "hdf5"}}};
  return scene.dump(2) + "\n";
}

}  // namespace

// By a file, for what a scene reads from files is part of its identity.
Scene foam_scene(const fs::path& run, const std::string& liquid,
                 const std::vector<std::string>& overrides) {
  const std::string text = scene_text(run, liquid);
  const fs::path file = fs::temp_directory_path() / fmt::format("rtsim-foam-{}.json", getpid());
  struct Remove {
    const fs::path& file;
    ~Remove() {
      std::error_code ignored;  // a destructor; what stays behind is a small text file
      fs::remove(file, ignored);
    }
  } const remove{file};
  write_file(file, text);
  Scene scene = read_scene(file, overrides, stage_catalog());
  scene.file = fs::absolute(run / "scene.resolved.json").lexically_normal();
  return scene;
}

}  // namespace rtsim
