#include "convert/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "convert/formats.h"

namespace rtsim {

namespace {

std::set<std::string> objects_in(const std::vector<CommittedFrame>& frames) {
  std::set<std::string> objects;
  for (const CommittedFrame& c : frames)
    for (const WrittenFile& f : c.files)
      if (is_hdf5(f)) objects.insert(object_of(f));
  return objects;
}

std::optional<FrameObject> first_frame_of(const Conversion& c,
                                          const std::vector<CommittedFrame>& frames,
                                          const std::string& object) {
  for (const CommittedFrame& k : frames)
    for (const WrittenFile& f : k.files)
      if (is_hdf5(f) && object_of(f) == object && c.frames.holds(k.frame))
        return read_frame(c.run, f);
  return std::nullopt;
}

void check_object(const Conversion& c, const std::set<std::string>& known,
                  const std::string& object) {
  if (known.contains(object)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string near = did_you_mean(object, names);
  throw Error(
      ExitCode::bad_input,
      fmt::format(
          "{} has no HDF5 frames of '{}'{}", c.run.string(), object,
          near.empty() ? fmt::format("; it has those of: {}", fmt::join(names, ", ")) : near));
}

// Particles that stand near a surface alone, as the scene's stage says, have one inside as well.
bool hollow(const Conversion& c, const FrameObject& object) {
  const std::filesystem::path file = c.run / "scene.resolved.json";
  if (object.kind != Kind::particles || !std::filesystem::exists(file)) return false;
  const auto scene = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!scene.is_object() || !scene.contains("stages")) return false;
  return std::ranges::any_of(scene["stages"], [&](const nlohmann::json& s) {
    return s.value("fluid", "") == object.name && s.value("band", 0) > 0;
  });
}

// The objects that are wanted, or all that can be, each as it first is.
std::map<std::string, FrameObject> choose_objects(const Conversion& c, const FormatInfo& format,
                                                  const std::vector<CommittedFrame>& frames) {
  std::set<std::string> wanted = objects_in(frames);
  for (const std::string& object : c.objects) check_object(c, wanted, object);
  if (!c.objects.empty()) wanted = {c.objects.begin(), c.objects.end()};
  std::map<std::string, FrameObject> chosen;
  std::string obstacles;
  for (const std::string& name : wanted) {
    std::optional<FrameObject> object = first_frame_of(c, frames, name);
    if (!object) continue;  // in none of the frames asked for
    std::string why = obstacle(format, *object, c.output);
    if (why.empty() && (format.is_surface || std::string_view(format.name) == "vdb") &&
        hollow(c, *object))
      why =
          "has particles near its surface alone, which would get a surface inside as well; the "
          "\"level_set\" of its grid is its surface";
    if (why.empty())
      chosen.emplace(name, std::move(*object));
    else
      obstacles += fmt::format("{}'{}' {}", obstacles.empty() ? "" : "; ", name, why);
  }
  if (!obstacles.empty() && (chosen.empty() || !c.objects.empty()))
    throw Error(ExitCode::bad_input, fmt::format("{}: {}", c.run.string(), obstacles));
  return chosen;
}

void check_columns(const Conversion& c, const FormatInfo& format, const ConversionPlan& plan) {
  if (c.columns.empty()) return;
  if (!format.has_columns)
    throw Error(ExitCode::usage, fmt::format("--columns: {} has none to choose", format.name));
  std::set<std::string> known;
  for (const auto& [name, object] : plan.first)
    for (const FrameColumn& k : object.columns) known.insert(k.name);
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& column : c.columns)
    if (!known.contains(column)) {
      const std::string near = did_you_mean(column, names);
      throw Error(ExitCode::bad_input,
                  fmt::format("--columns {}: no object has such a column{}", column,
                              near.empty() ? fmt::format("; there are: {}", fmt::join(names, ", "))
                                           : near));
    }
}

}  // namespace

std::vector<const FormatInfo*> chosen_formats(const Conversion& c) {
  std::vector<const FormatInfo*> formats;
  for (const std::string& name : c.to) formats.push_back(&find_format(name));
  if (formats.empty()) throw Error(ExitCode::usage, "--to names no format");
  if (formats.size() > 1 &&
      !std::ranges::all_of(formats, [](const FormatInfo* f) { return f->is_surface; }))
    throw Error(ExitCode::usage,
                fmt::format("--to {}: one format, or several of the surfaces ply, obj, stl and sdf "
                            "(not vdb)",
                            fmt::join(c.to, ",")));
  return formats;
}

ConversionPlan make_plan(const Conversion& c) {
  const FormatInfo& format = *chosen_formats(c).front();
  ConversionPlan plan{c.run, c.out, {c.run_id, 1}, c.output, c.columns, {}, {}, c.jobs};
  const std::vector<CommittedFrame> all = read_commits(c.run);
  plan.first = choose_objects(c, format, all);
  for (CommittedFrame f : all) {
    std::erase_if(f.files, [&](const WrittenFile& w) {
      return !is_hdf5(w) || !plan.first.contains(object_of(w));
    });
    if (c.frames.holds(f.frame) && !f.files.empty()) plan.frames.push_back(std::move(f));
  }
  if (plan.frames.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{} has none of the frames asked for: it has {} frames, and a "
                            "conversion reads those of its outputs in \"hdf5\"",
                            c.run.string(), all.size()));
  check_columns(c, format, plan);
  const int concurrent = int(std::min<std::size_t>(std::size_t(c.jobs), plan.frames.size()));
  plan.info.threads = std::max(1, c.jobs / concurrent);
  plan.jobs = concurrent;
  if (format.check) format.check(plan);
  return plan;
}

}  // namespace rtsim
