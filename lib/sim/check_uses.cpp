#include "sim/check_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rtsim {

namespace {

void find_writers(const Simulation& s, std::vector<std::string>& problems) {
  std::map<std::string, std::string> writer;  // of a column
  for (const PipelineStage& p : s.pipeline)
    for (const ColumnUse& use : p.stage->uses()) {
      if (use.access != Access::write) continue;
      const std::string column = use.table + "." + use.column;
      const auto [at, fresh] = writer.try_emplace(column, p.name);
      if (!fresh)
        problems.push_back(
            fmt::format("stages '{}' and '{}' both write {}; give each its own object, or leave "
                        "one out",
                        at->second, p.name, column));
    }
}

bool takes_up(const PipelineStage& p, const ColumnUse& given) {
  return std::ranges::any_of(p.stage->uses(), [&](const ColumnUse& u) {
    return u.access == Access::write && u.table == given.table && u.column == given.column;
  });
}

// Forces last for one step: the stage of the bodies takes them up, and has to come behind.
void find_lost_forces(const Simulation& s, std::vector<std::string>& problems) {
  const auto are_bodies = [&](const std::string& table) {
    return std::ranges::any_of(s.world->objects, [&](const Object& o) {
      return o.name == table && o.kind == Kind::bodies;
    });
  };
  for (auto p = s.pipeline.begin(); p != s.pipeline.end(); ++p)
    for (const ColumnUse& use : p->stage->uses()) {
      if (use.access != Access::add || use.column != "force" || !are_bodies(use.table)) continue;
      if (std::any_of(p + 1, s.pipeline.end(),
                      [&](const PipelineStage& later) { return takes_up(later, use); }))
        continue;
      problems.push_back(
          fmt::format("stage '{}' pushes '{}', and no stage behind it moves them; put a stage "
                      "\"rigid\" with \"bodies\": \"{}\" behind it",
                      p->name, use.table, use.table));
    }
}

// Of the stage that passes on to a solid what a fluid did to it.
bool passes_on(const PipelineStage& p, const std::string& solid) {
  return std::ranges::any_of(p.stage->uses(), [&](const ColumnUse& u) {
    return u.access == Access::write && u.table.starts_with(force_table(solid, ""));
  });
}

// What a fluid gave to a mesh is lost where no solver takes its velocities up.
void find_unmoved_meshes(const Simulation& s, std::vector<std::string>& problems) {
  const auto is_mesh = [&](const std::string& table) {
    return std::ranges::any_of(
        s.world->objects, [&](const Object& o) { return o.name == table && o.kind == Kind::mesh; });
  };
  for (const PipelineStage& p : s.pipeline)
    for (const ColumnUse& use : p.stage->uses()) {
      if (use.access != Access::add || use.column != "velocity" || !is_mesh(use.table) ||
          !passes_on(p, use.table))
        continue;
      if (std::ranges::any_of(s.pipeline,
                              [&](const PipelineStage& other) { return takes_up(other, use); }))
        continue;
      problems.push_back(
          fmt::format("stage '{}' pushes '{}', and no stage moves it; add one, such as \"xpbd\" "
                      "with \"mesh\": \"{}\"",
                      p.name, use.table, use.table));
    }
}

// A liquid whose particles stand for their surface alone has neither the velocity nor the
// neighbours that others look for in it.
void find_users_of_hollow(const Simulation& s, std::vector<std::string>& problems) {
  const auto hollow = [&](const std::string& table) {
    return std::ranges::any_of(s.world->objects,
                               [&](const Object& o) { return o.name == table && o.hollow; });
  };
  for (const PipelineStage& p : s.pipeline)
    for (const ColumnUse& use : p.stage->uses()) {
      if (use.column != "velocity" || use.access == Access::write || !hollow(use.table)) continue;
      problems.push_back(
          fmt::format("stage '{}' needs all particles of '{}', which has them near its surface "
                      "alone: leave \"band\" out of its stage",
                      p.name, use.table));
    }
}

}  // namespace

std::vector<std::string> check_uses(const Simulation& s) {
  std::vector<std::string> problems;
  find_writers(s, problems);
  find_lost_forces(s, problems);
  find_unmoved_meshes(s, problems);
  find_users_of_hollow(s, problems);
  return problems;
}

}  // namespace rtsim
