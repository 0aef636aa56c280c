#include "sim/build/fill_clearance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "shapes/point_grid.h"

namespace rtsim {

namespace {

constexpr double near = 0.98;  // of a spacing; lattices that fit their walls keep the whole
constexpr int rounds = 8;      // in corners what leaves one sample comes nearer to another

// Samples nearer to x than a spacing push it off, the nearest first.
Vec3d cleared(const PointGrid& samples, Vec3d x, double spacing) {
  for (int k = 0; k < rounds; ++k) {
    const int b = samples.nearest_within(x, near * spacing);
    if (b < 0) return x;
    const Vec3d away = x - samples.points()[std::size_t(b)];
    const double r = norm(away);
    if (!(r > 0)) return x;
    x = x + ((spacing - r) / r) * away;
  }
  return x;
}

// Whose samples a fluid meets: its own, and those of the first fluid of a stage that it is in.
std::set<std::string> leaders(const Scene& scene, const std::string& fluid) {
  std::set<std::string> names{fluid};
  for (const StageSpec& stage : scene.stages)
    if (stage.boundary_memory && std::ranges::count(stage.roles, fluid, &RoleUse::object) > 0)
      names.insert(stage.boundary_memory(scene.dim).fluid);
  return names;
}

template <int D>
PointGrid samples_for(World& world, const std::set<std::string>& fluids, double spacing) {
  PointGrid grid(spacing);
  for (const auto& t : world.tables()) {
    const std::size_t at = t->name().rfind('@');
    if (at == std::string::npos || !fluids.contains(t->name().substr(at + 1)) || !t->has("layer"))
      continue;
    const auto x = t->template download<Vec<D>>("position");
    const auto layer = t->template download<Index>("layer");
    for (std::size_t i = 0; i < x.size(); ++i)
      if (layer[i] == 0) grid.add(widen(x[i]));
  }
  return grid;
}

template <int D>
std::string move_off_walls(World& world, const Scene& scene, const Object& fluid) {
  const PointGrid samples = samples_for<D>(world, leaders(scene, fluid.name), fluid.spacing);
  if (samples.points().empty()) return {};
  Table& t = world.table(fluid.name);
  auto x = t.template download<Vec<D>>("position");
  long moved = 0;
  double most = 0;
  for (Vec<D>& at : x) {
    const Vec3d from = widen(at), to = cleared(samples, from, fluid.spacing);
    if (to == from) continue;
    at = narrow<D>(to), ++moved;
    most = std::max(most, norm(to - from));
  }
  if (moved == 0) return {};
  world.exec.upload(t.template column<Vec<D>>("position").data, x.data(), x.size() * sizeof x[0]);
  return fmt::format(
      "{} of {} particles of '{}' were filled in nearer to walls than half a "
      "spacing, and moved off them by up to {:.2g} m",
      moved, x.size(), fluid.name, most);
}

}  // namespace

std::vector<std::string> move_off_walls(World& world, const Scene& scene) {
  std::vector<std::string> said;
  for (const Object& o : world.objects) {
    if (o.kind != Kind::particles) continue;
    const std::string line =
        world.dim == 2 ? move_off_walls<2>(world, scene, o) : move_off_walls<3>(world, scene, o);
    if (!line.empty()) said.push_back(line);
  }
  return said;
}

}  // namespace rtsim
