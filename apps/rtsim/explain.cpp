#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cache/async_writer.h"
#include "commands.h"
#include "scene_folder.h"
#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/records/snapshot.h"
#include "sim/run.h"
#include "units.h"

namespace rtsim {
namespace {

using Json = nlohmann::ordered_json;

// Frames in memory at once: those that wait for the writer, and the one it works on.
constexpr auto queued_frames = double(AsyncWriter::may_wait + 1);

const char* role_name(Role r) {
  return r == Role::state ? "state" : r == Role::derived ? "derived" : "scratch";
}

double row_bytes(const Table& t, auto&& counts) {
  double bytes = 0;
  for (const Column& c : t.columns())
    if (counts(c)) bytes += double(c.type.bytes());
  return bytes;
}

Json time_json(const Scene& s) {
  const double dt = s.time.step_dt();
  const long frames = s.time.frame_count();
  const long steps = frames * s.time.steps_per_frame;
  return {{"dt", dt}, {"steps", steps}, {"frames", frames + 1}, {"end", double(steps) * dt}};
}

Json stages_json(const Scene& s, Simulation& sim) {
  Json stages = Json::array();
  for (PipelineStage& p : sim.pipeline) {
    const auto spec = std::ranges::find(s.stages, p.name, &StageSpec::name);
    Json roles = Json::array();
    if (spec != s.stages.end())
      for (const RoleUse& r : spec->roles) roles.push_back(r.key + "=" + r.object);
    const double stable = p.stage->stable_dt(*sim.world);
    const std::string unknown = p.stage->feed(*sim.world).unknown;
    stages.push_back({{"name", p.name},
                      {"type", spec == s.stages.end() ? "" : spec->type},
                      {"roles", roles},
                      {"stable_dt", std::isfinite(stable) ? Json(stable) : Json()},
                      {"unknown_energy", unknown}});
  }
  return stages;
}

constexpr std::size_t values_shown = 10;

// What stages found out from the scene and keep in double, as the frequencies of modes: the first.
Json known_values(Table& t, const Column& c) {
  if (c.info.role != Role::derived || !(c.type == element_type<double>)) return {};
  std::vector<double> values = t.download<double>(c.info.name);
  if (values.size() > values_shown) values.resize(values_shown);
  return values;
}

Json tables_json(World& world) {
  Json tables = Json::array();
  for (const auto& t : world.tables()) {
    Json columns = Json::array();
    for (const Column& c : t->columns()) {
      columns.push_back({{"name", c.info.name},
                         {"unit", c.info.unit},
                         {"role", role_name(c.info.role)},
                         {"bytes_per_row", c.type.bytes()}});
      if (const Json values = known_values(*t, c); !values.is_null())
        columns.back()["values"] = values;
    }
    tables.push_back({{"name", t->name()},
                      {"rows", t->rows()},
                      {"capacity", t->capacity()},
                      {"bytes", t->capacity() * row_bytes(*t, [](const Column&) { return true; })},
                      {"columns", columns}});
  }
  return tables;
}

double queue_bytes(const Scene& s, World& world) {
  double frame = 0;
  for (const Output& o : s.output) frame += double(frame_bytes(world, o));
  return queued_frames * frame;
}

Json cache_json(const Scene& s, World& world) {
  return {{"frame_bytes", queue_bytes(s, world) / queued_frames},
          {"frames_bytes", frames_bytes(world, s, 0)},
          {"queue_bytes", queue_bytes(s, world)},
          {"checkpoint_bytes", checkpoint_bytes(world)},
          {"checkpoint_keep", s.checkpoint_keep}};
}

// What writing frames takes besides them: HDF5 with the chunks under way, and OpenVDB once it is
// loaded. Measured with one file of each.
double writer_bytes(const Scene& s) {
  constexpr double hdf5 = 14e6, openvdb = 45e6;
  const auto is_volume = [](const Output& o) { return o.format != Format::hdf5; };
  if (s.output.empty()) return 0;
  return hdf5 + (std::ranges::any_of(s.output, is_volume) ? openvdb : 0);
}

// The program itself and its libraries, what the world was estimated to take, or took as it was
// built, and the frames that wait for the disk; at the least what the process has by now.
Json memory_json(const Scene& s, Simulation& sim, double program, double estimated) {
  const auto built = double(sim.world->exec.peak_bytes());
  const double run =
      program + writer_bytes(s) + std::max(estimated, built) + queue_bytes(s, *sim.world);
  return {{"program", program},
          {"estimated", estimated},
          {"built", built},
          {"total", std::max(run, process_memory())},
          {"machine", machine_memory()}};
}

Json explanation(const Scene& scene) {
  const Exec ex = make_exec("cpu", 0);
  const double program = process_memory();
  Simulation sim = build(scene, ex);  // reports what is wrong, with its place
  double estimated = 0;
  for (const ObjectEstimate& o : estimate(scene)) estimated += o.bytes;
  refresh(sim, 0);
  return {{"scene", scene.file.string()},
          {"identity", scene.identity},
          {"dim", scene.dim},
          {"time", time_json(scene)},
          {"notes", sim.notes},
          {"stages", stages_json(scene, sim)},
          {"tables", tables_json(*sim.world)},
          {"memory", memory_json(scene, sim, program, estimated)},
          {"cache", cache_json(scene, *sim.world)}};
}

double number(const Json& j, const char* key) { return j.at(key).get<double>(); }
std::string text(const Json& j, const char* key) { return j.at(key).get<std::string>(); }

void print_stages(const Json& stages) {
  fmt::print("\nstages, in the order of a step\n");
  for (const Json& s : stages) {
    fmt::print("  {}", text(s, "name"));
    if (text(s, "type") != text(s, "name"))
      fmt::print(" ({})", text(s, "type").empty() ? "inserted" : text(s, "type"));
    for (const Json& r : s.at("roles")) fmt::print(" {}", r.get<std::string>());
    if (!s.at("stable_dt").is_null())
      fmt::print("; stable up to dt = {:.3g} s", number(s, "stable_dt"));
    if (!text(s, "unknown_energy").empty())
      fmt::print("; growth of energy is not watched: {}", text(s, "unknown_energy"));
    fmt::print("\n");
  }
}

void print_tables(const Json& tables) {
  for (const Json& t : tables) {
    const long rows = t.at("rows").get<long>(), capacity = t.at("capacity").get<long>();
    fmt::print("\n{}: {} rows{}, {}\n", text(t, "name"), rows,
               capacity > rows ? fmt::format(", room for {}", capacity) : "",
               bytes_text(number(t, "bytes")));
    for (const Json& c : t.at("columns")) {
      fmt::print("  {:24} {:10} {:8} {:3} B\n", text(c, "name"), text(c, "unit"), text(c, "role"),
                 c.at("bytes_per_row").get<int>());
      if (c.contains("values"))
        fmt::print("    {:.6g}\n", fmt::join(c.at("values").get<std::vector<double>>(), "  "));
    }
  }
}

void print_text(const Json& j) {
  const Json &time = j.at("time"), &memory = j.at("memory"), &cache = j.at("cache");
  fmt::print("{}, {}D\n", text(j, "scene"), j.at("dim").get<int>());
  fmt::print("{} steps of {:.6g} s to t = {:.6g} s, {} frames\n", time.at("steps").get<long>(),
             number(time, "dt"), number(time, "end"), time.at("frames").get<long>());
  for (const Json& note : j.at("notes")) fmt::print("note: {}\n", note.get<std::string>());
  print_stages(j.at("stages"));
  print_tables(j.at("tables"));
  fmt::print("\nmemory       about {} of {}\n", bytes_text(number(memory, "total")),
             bytes_text(number(memory, "machine")));
  fmt::print("frame queue  {}\n", bytes_text(number(cache, "queue_bytes")));
  const int keep = int(number(cache, "checkpoint_keep"));
  fmt::print("checkpoint   {}, {}\n", bytes_text(number(cache, "checkpoint_bytes")),
             keep == 0 ? "all stay" : fmt::format("the newest {} stay", keep));
  fmt::print("frames       {} a frame, {} in all, before compression\n",
             bytes_text(number(cache, "frame_bytes")), bytes_text(number(cache, "frames_bytes")));
}

}  // namespace

ExitCode explain_command(const ExplainFlags& f) {
  const Json j = explanation(read_scene(scene_file(f.scene), f.set, stage_catalog()));
  if (f.json)
    fmt::print("{}\n", j.dump(2));
  else
    print_text(j);
  return ExitCode::done;
}

}  // namespace rtsim
