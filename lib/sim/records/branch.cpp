#include "sim/records/branch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/hash.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "cache/lock.h"
#include "cache/no_run.h"
#include "cache/series_file.h"
#include "cache/verify.h"
#include "param/json_text.h"
#include "shapes/motion.h"
#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/records/ledger.h"
#include "sim/records/run_folder.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// Of RUN@FRAME; no frame: the last checkpoint.
struct BranchPlace {
  fs::path run;
  std::optional<long> frame;
};

BranchPlace parse_place(const std::string& place) {
  const std::size_t at = place.rfind('@');
  if (at == std::string::npos || fs::exists(place)) return {place, {}};
  long frame = 0;
  const char *first = place.data() + at + 1, *last = place.data() + place.size();
  const auto [end, wrong] = std::from_chars(first, last, frame);
  if (wrong != std::errc() || end != last || frame < 0)
    throw Error(ExitCode::usage,
                fmt::format("{}: what is behind the @ is no frame; write RUN@12, or RUN alone for "
                            "its last checkpoint",
                            place));
  return {place.substr(0, at), frame};
}

Manifest finished_run(const fs::path& run) {
  if (!has_manifest(run)) throw no_run(run);
  const Manifest m = read_manifest(run);
  if (m.status == "running" && is_locked(run))
    throw Error(ExitCode::bad_input,
                run.string() + " is still running; `rtsim wait` tells when it is finished");
  if (m.status == "running" || m.status == "interrupted")
    throw Error(
        ExitCode::bad_input,
        fmt::format("{0} is not finished: it was {1} at step {2}; `rtsim resume {0}` first",
                    run.string(), m.status == "running" ? "killed" : "interrupted", m.steps));
  return m;
}

long step_of(const fs::path& checkpoint) { return std::stol(checkpoint.stem().string()); }

std::string name_of(long step, int steps_per_frame) {
  const std::string text = fmt::format("frame {}", step / steps_per_frame);
  const long rest = step % steps_per_frame;
  return rest == 0 ? text : text + fmt::format(" and {} step{}", rest, rest == 1 ? "" : "s");
}

// The nearest before and after a step, for those who asked for a frame that has none.
std::string nearest(const std::vector<fs::path>& newest_first, long step, int steps_per_frame) {
  std::string before, after;
  for (const fs::path& file : newest_first)
    if (step_of(file) > step)
      after = name_of(step_of(file), steps_per_frame);
    else if (before.empty())
      before = name_of(step_of(file), steps_per_frame);
  if (before.empty() || after.empty()) return before + after;
  return before + " and " + after;
}

fs::path checkpoint_at(const BranchPlace& place, int steps_per_frame) {
  const std::vector<fs::path> files = marked_checkpoints(place.run);
  if (files.empty())
    throw Error(ExitCode::bad_input, place.run.string() + " has no checkpoint to branch from");
  if (!place.frame) return files[0];
  const long step = *place.frame * steps_per_frame;
  for (const fs::path& file : files)
    if (step_of(file) == step) return file;
  throw Error(
      ExitCode::bad_input,
      fmt::format("{} has no checkpoint at frame {}; the nearest: {}. \"checkpoint_every\": 1 and "
                  "\"checkpoint_keep\": 0 in a scene keep one for each frame",
                  place.run.string(), *place.frame, nearest(files, step, steps_per_frame)));
}

void refuse_damage(const fs::path& run, const CheckpointFile& checkpoint) {
  std::vector<std::string> problems = origin_problems(run, checkpoint.progress.frames);
  // How many frames there are by now is for `verify`.
  std::erase_if(problems, [](const std::string& p) { return p.find(": done with ") != p.npos; });
  for (const std::string& p : damage_before(run, checkpoint.progress)) problems.push_back(p);
  if (problems.empty()) return;
  throw Error(
      ExitCode::io,
      fmt::format(
          "{} is damaged, so nothing branches from it: {}{}", run.string(), problems[0],
          problems.size() == 1 ? std::string() : fmt::format(" and {} more", problems.size() - 1)));
}

std::string value_text(const ordered_json* j) { return j && !j->is_null() ? j->dump() : ""; }

// Every value that differs, by its pointer; lists of other lengths element by element.
void find_differences(const ordered_json* a, const ordered_json* b, const std::string& pointer,
                      std::vector<Manifest::Difference>& all) {
  if (value_text(a) == value_text(b)) return;
  const auto both = [&](auto is) { return a && b && is(*a) && is(*b); };
  if (both([](const ordered_json& j) { return j.is_object(); })) {
    for (const auto& [key, value] : b->items())
      find_differences(a->contains(key) ? &a->at(key) : nullptr, &value,
                       child_pointer(pointer, key), all);
    for (const auto& [key, value] : a->items())
      if (!b->contains(key)) find_differences(&value, nullptr, child_pointer(pointer, key), all);
    return;
  }
  const bool structs = both(
      [](const ordered_json& j) { return j.is_array() && !j.empty() && j.front().is_object(); });
  if (!structs) return all.push_back({pointer, value_text(a), value_text(b)});
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i)
    find_differences(i < a->size() ? &a->at(i) : nullptr, i < b->size() ? &b->at(i) : nullptr,
                     child_pointer(pointer, std::to_string(i)), all);
}

bool is_below(const std::string& pointer, const std::string& above) {
  return pointer == above || pointer.starts_with(above + "/");
}

// Part k of "/objects/0/material": objects, 0, material.
std::vector<std::string> parts(const std::string& pointer) {
  std::vector<std::string> all;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    all.push_back(pointer.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

// Keys of objects that say what something is like, and nothing of where it is or how many there
// are.
bool is_of_material(const std::vector<std::string>& p) {
  if (p.size() < 3) return false;
  const auto is = [](const std::string& key, std::initializer_list<const char*> keys) {
    return std::ranges::any_of(keys, [&](const char* k) { return key == k; });
  };
  if (is(p[2], {"material", "motion", "density", "vertex_mass"})) return true;
  if (p.size() < 5) return false;
  if (p[2] == "bodies") return is(p[4], {"material", "density", "mass"});
  return p[2] == "joints" && is(p[4], {"limits", "cone", "twist", "motor", "spring", "collide"});
}

// Why a branch cannot change this; empty: it can.
std::string structural(const Scene& parent, const Scene& next, const std::string& pointer) {
  const std::vector<std::string> p = parts(pointer);
  if (p[0] == "dim") return "the rows that the checkpoint holds have so many dimensions";
  if (p[0] == "time" && (p[1] == "fps" || p[1] == "dt" || p[1] == "steps_per_frame"))
    return "steps and frames before the branch were of this length; \"substeps\" of a stage makes "
           "steps finer";
  if (p[0] == "objects" && !is_of_material(p))
    return "objects were made of it at the start, and the checkpoint holds what became of them; "
           "their materials and motions may change";
  if (p[0] == "stages" && p.size() == 3 && (p[2] == "type" || p[2] == "name"))
    return "the checkpoint holds what a stage of this type and name left";
  for (const Scene* scene : {&parent, &next})
    for (std::size_t i = 0; i < std::min(parent.stages.size(), scene->stages.size()); ++i)
      for (const RoleUse& role : scene->stages[i].roles)
        if (is_below(pointer, role.pointer) || is_below(role.pointer, pointer))
          return "it decides what a stage works on";
  return "";
}

double distance(const Pose& a, const Pose& b) {
  double most = norm(a.translation - b.translation);
  for (int k = 0; k < 3; ++k) most = std::max(most, norm(a.row[k] - b.row[k]));
  return most;
}

// A boundary that would be elsewhere all at once.
std::string jump(const Scene& parent, const Scene& next, const std::string& pointer, double time) {
  const std::vector<std::string> p = parts(pointer);
  if (p[0] != "objects" || p.size() < 3 || p[2] != "motion") return "";
  const std::size_t i = std::stoul(p[1]);
  const auto* was = parent.objects[i].as<BoundarySpec>();
  const auto* is = next.objects[i].as<BoundarySpec>();
  if (!was || !is) return "";
  const double d = distance(pose_at(was->motion, time), pose_at(is->motion, time));
  if (d <= 1e-6) return "";
  return fmt::format(
      "'{}' would jump at the branch, by {:.3g} m or rad; a motion must begin where "
      "the old one is at t = {:.6g} s",
      parent.objects[i].name, d, time);
}

std::string told(const std::vector<Manifest::Difference>& differences) {
  std::string text;
  for (const Manifest::Difference& d : differences)
    if (d.pointer.starts_with("/stages") || d.pointer.starts_with("/objects") ||
        d.pointer == "/seed")
      text += (text.empty() ? "" : ", ") + d.pointer;
  return text;
}

// A state column on the host.
struct Saved {
  ElementType type;
  std::vector<std::byte> bytes;

  bool operator==(const Saved&) const = default;
};
using SavedTable = std::map<std::string, Saved>;
using SavedWorld = std::map<std::string, SavedTable>;

// The rows of a table in the order of their ids, where they have some: sorting by place is no
// change.
std::vector<std::size_t> order_of(Table& t) {
  std::vector<std::size_t> order(std::size_t(t.rows()));
  std::iota(order.begin(), order.end(), 0);
  if (!t.has("id")) return order;
  const auto ids = t.download<std::uint32_t>("id");
  std::ranges::sort(order, {}, [&](std::size_t row) { return ids[row]; });
  return order;
}

SavedWorld state_of(World& world) {
  SavedWorld all;
  for (const auto& t : world.tables()) {
    const std::vector<std::size_t> order = order_of(*t);
    for (const Column& c : t->columns()) {
      if (c.info.role != Role::state) continue;
      const std::size_t size = c.type.bytes();
      std::vector<std::byte> rows(order.size() * size);
      world.exec.download(rows.data(), c.bytes.data(), rows.size());
      Saved s{c.type, std::vector<std::byte>(rows.size())};
      for (std::size_t i = 0; i < order.size(); ++i)
        std::memcpy(&s.bytes[i * size], &rows[order[i] * size], size);
      all[t->name()].emplace(c.info.name, std::move(s));
    }
  }
  return all;
}

[[noreturn]] void refuse(const Branch& b, const std::string& what) {
  throw Error(ExitCode::bad_input, fmt::format("{}: {}", told(b.origin.differences), what));
}

// What two scenes make of the start: the same tables of the same rows, or they do not fit.
void require_same_tables(const Branch& b, const SavedWorld& was, const SavedWorld& is) {
  const auto names = [](const auto& map) {
    std::vector<std::string> all;
    for (const auto& [name, value] : map) all.push_back(name);
    return fmt::format("{}", fmt::join(all, ", "));
  };
  if (names(was) != names(is))
    refuse(b, fmt::format("makes a world of the tables {}; the checkpoint has {}", names(is),
                          names(was)));
  for (const auto& [name, table] : was) {
    const SavedTable& other = is.at(name);
    if (names(table) != names(other))
      refuse(b, fmt::format("makes '{}' of the columns {}; the checkpoint has {}", name,
                            names(other), names(table)));
    for (const auto& [column, saved] : table)
      if (saved.type != other.at(column).type ||
          saved.bytes.size() != other.at(column).bytes.size())
        refuse(b, fmt::format("gives '{}' other rows, {} in place of {}", name,
                              other.at(column).bytes.size() / other.at(column).type.bytes(),
                              saved.bytes.size() / saved.type.bytes()));
  }
}

// Where each row of a table was at the start: by its id, else in place; -1 for one that came later.
std::vector<Index> rows_at_start(const SavedTable& start, Table& now) {
  std::vector<Index> from(std::size_t(now.rows()));
  if (!start.contains("id")) {
    const Saved& any = start.begin()->second;
    const auto rows = Index(any.bytes.size() / any.type.bytes());
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = Index(i) < rows ? Index(i) : -1;
    return from;
  }
  std::map<std::uint32_t, Index> row_of;
  const Saved& ids = start.at("id");
  for (std::size_t i = 0; i < ids.bytes.size() / sizeof(std::uint32_t); ++i) {
    std::uint32_t id;
    std::memcpy(&id, &ids.bytes[i * sizeof id], sizeof id);
    row_of[id] = Index(i);
  }
  const auto now_ids = now.download<std::uint32_t>("id");
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto found = row_of.find(now_ids[i]);
    from[i] = found == row_of.end() ? -1 : found->second;
  }
  return from;
}

// A column that `next` starts with other values takes those where the run kept the old ones.
void replace_constant(const Branch& b, World& world, Table& t, const std::string& column,
                      const SavedTable& start, const Saved& next, const std::vector<Index>& from) {
  Column& c = t.column_bytes(column);
  const std::size_t size = c.type.bytes();
  std::vector<std::byte> now(from.size() * size);
  world.exec.download(now.data(), c.bytes.data(), now.size());
  const Saved& was = start.at(column);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto at = std::size_t(from[i]) * size;
    if (from[i] < 0)
      refuse(b, fmt::format("changes '{}' of '{}', of which rows came since the start; a branch "
                            "cannot know theirs",
                            column, t.name()));
    if (std::memcmp(&now[i * size], &was.bytes[at], size) != 0)
      refuse(b, fmt::format("changes how '{}' of '{}' starts, and the run has changed that since; "
                            "it has no effect behind the start",
                            column, t.name()));
    std::memcpy(&now[i * size], &next.bytes[at], size);
  }
  world.exec.upload(c.bytes.data(), now.data(), now.size());
}

}  // namespace

bool Branch::changes_physics() const {
  return std::ranges::any_of(origin.differences, [](const Manifest::Difference& d) {
    return d.pointer.starts_with("/stages") || d.pointer.starts_with("/objects") ||
           d.pointer.starts_with("/gravity") || d.pointer == "/seed";
  });
}

Branch find_branch(const std::string& text) {
  const BranchPlace place = parse_place(text);
  Branch b{place.run, {}, finished_run(place.run), {}, {}};
  b.scene = scene_of_run(place.run);
  const fs::path file = checkpoint_at(place, b.scene.time.steps_per_frame);
  b.checkpoint = {file, check_checkpoint(file)};
  refuse_damage(place.run, b.checkpoint);
  if (b.scene.identity != b.manifest.identity)
    throw Error(ExitCode::bad_input,
                fmt::format("a file that the scene of {} names has changed since, or this version "
                            "reads it in another way: what a branch begins with is not that scene",
                            place.run.string()));
  const long step = b.checkpoint.progress.step;
  b.origin = {fs::absolute(place.run).lexically_normal().string(),
              b.manifest.identity,
              step / b.scene.time.steps_per_frame,
              step,
              hex(hash_file(file)),
              {}};
  return b;
}

void compare_scenes(Branch& b, const Scene& next) {
  const ordered_json was = ordered_json::parse(b.scene.resolved),
                     is = ordered_json::parse(next.resolved);
  std::vector<Manifest::Difference>& all = b.origin.differences;
  all.clear();
  find_differences(&was, &is, "", all);
  const double time = double(b.origin.step) * b.scene.time.step_dt();
  std::string problems;
  for (const Manifest::Difference& d : all) {
    std::string why = structural(b.scene, next, d.pointer);
    if (why.empty()) why = jump(b.scene, next, d.pointer, time);
    if (!why.empty())
      problems += fmt::format("{}{}: a branch cannot change it: {}", problems.empty() ? "" : "\n",
                              d.pointer, why);
  }
  if (!problems.empty()) throw Error(ExitCode::bad_input, problems);
  const long end = next.time.frame_count() * next.time.steps_per_frame;
  if (b.origin.step >= end)
    throw Error(
        ExitCode::bad_input,
        fmt::format("the branch would begin at {}, and end at frame {}; give a later end: "
                    "--set /time/frames=N",
                    name_of(b.origin.step, next.time.steps_per_frame), next.time.frame_count()));
}

void load_branch(const Branch& b, World& world) {
  if (!b.changes_physics()) return load_checkpoint(b.checkpoint.file, world);
  const SavedWorld next = state_of(world);
  const SavedWorld start = state_of(*build(b.scene, world.exec).world);
  require_same_tables(b, start, next);
  load_checkpoint(b.checkpoint.file, world);
  for (const auto& t : world.tables()) {
    if (!start.contains(t->name()) || start.at(t->name()) == next.at(t->name())) continue;
    const std::vector<Index> from = rows_at_start(start.at(t->name()), *t);
    for (const auto& [column, saved] : next.at(t->name()))
      if (saved != start.at(t->name()).at(column))
        replace_constant(b, world, *t, column, start.at(t->name()), saved, from);
  }
  Ledger::close(world);
}

void write_history(const Branch& b, const fs::path& folder) try {
  const Progress& p = b.checkpoint.progress;
  const std::string frames = read_file(b.folder / "frames.jsonl").substr(0, p.frames_log.bytes);
  for (std::size_t begin = 0, end; (end = frames.find('\n', begin)) != frames.npos;
       begin = end + 1) {
    const std::string line = frames.substr(begin, end - begin);
    for (const WrittenFile& f : parse_commit(line, "frames.jsonl").files) {
      make_folders((folder / f.path).parent_path());
      link_or_copy(b.folder / f.path, folder / f.path);
    }
  }
  write_file(folder / "frames.jsonl", frames);
  write_file(folder / "series.csv", read_file(b.folder / "series.csv").substr(0, p.series.bytes));
  copy_checkpoint(b.checkpoint.file, folder, p);
  rewrite_series(folder);
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
