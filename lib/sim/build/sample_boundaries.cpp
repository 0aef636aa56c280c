#include "sim/build/sample_boundaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bodies/body_samples.h"
#include "deformables/mesh_samples.h"
#include "meshes/adjacency.h"
#include "shapes/motion.h"
#include "shapes/sample.h"
#include "sim/build/body_motion.h"
#include "sim/build/boundary_motion.h"
#include "sim/build/boundary_samples.h"
#include "sim/build/thin_parts.h"

namespace rtsim {

namespace {

std::vector<SurfaceSample> sample(World& world, const std::string& table, const Shape& shape,
                                  double spacing, const Bounds& region, int layers) {
  auto samples = sample_surface(shape, spacing, world.dim, region, layers);
  if (samples.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("has no surface that a spacing of {} m can see", spacing));
  add_samples(world, table, samples);
  return samples;
}

double longest_edge(World& world, const std::string& mesh) {
  const auto x = world.table(mesh).download<Vec<3>>("position");
  double longest = 0;
  for (const auto& e : corners_of<2>(world, edge_table(mesh)))
    longest = std::max(longest, norm(widen(x[std::size_t(e[1])]) - widen(x[std::size_t(e[0])])));
  return longest;
}

class Sampler {
 public:
  Sampler(const Scene& scene, const std::vector<Placed>& placed, const Bounds& region,
          Problems& problems, Simulation& simulation)
      : scene_(scene),
        placed_(placed),
        region_(region),
        problems_(problems),
        simulation_(simulation) {
    for (const Placed& p : placed_) {
      if (p.spec->kind() == Kind::bodies) bodies_.push_back({p.spec->name, {}});
      if (moves(*p.spec))
        moving_.push_back({p.spec->name,
                           p.spec->as<BoundarySpec>()->motion,
                           world().object(p.spec->name).deformation,
                           {}});
    }
  }

  // The fluids of one stage meet the samples of its first.
  void run() {
    for (const StageSpec& stage : scene_.stages) {
      if (!meets_samples(scene_, stage)) continue;
      std::optional<std::string> first;
      if (stage.boundary_memory) first = stage.boundary_memory(scene_.dim).fluid;
      for (const RoleUse& use : stage.roles) {
        const ObjectSpec& fluid = *placed_of(placed_, use.object).spec;
        if (fluid.kind() != Kind::particles || (first && *first != fluid.name)) continue;
        for (const RoleUse& wall : stage.roles) pair(fluid, placed_of(placed_, wall.object));
        if (first) pair_meshes(fluid, stage.boundary_memory(scene_.dim).boundaries);
      }
    }
    std::erase_if(bodies_, [](const SampledBodies& b) { return b.samples.empty(); });
    if (!bodies_.empty() || !meshes_.empty())
      simulation_.pipeline.push_back(
          {"_body_motion", make_body_motion(std::move(bodies_), std::move(meshes_))});
    if (moving_.empty()) return;
    simulation_.pipeline.push_back(
        {"_boundary_motion",
         make_boundary_motion(world(), std::move(moving_), scene_.time.step_dt())});
    simulation_.pipeline.back().stage->refresh(world(), 0);
  }

 private:
  World& world() { return *simulation_.world; }

  // As its fill fitted it.
  double spacing_of(const ObjectSpec& fluid) { return world().object(fluid.name).spacing; }

  void pair(const ObjectSpec& fluid, const Placed& wall) {
    const auto* bodies = wall.spec->as<BodiesSpec>();
    if (!bodies && wall.spec->kind() != Kind::boundary) return;
    const std::string table = sample_table(wall.spec->name, fluid.name);
    if (world().has_table(table)) return;
    for (SampledBodies& s : bodies_)
      if (s.bodies == wall.spec->name) s.samples.push_back(table);
    const int layers = sample_layers(scene_, wall.spec->name, fluid.name);
    if (bodies) return sample_bodies(wall, *bodies, fluid, layers);
    problems_.guard(wall.pointer + "/shape", [&] {
      tell_thin(wall.spec->name, fluid, layers,
                sample(world(), table, *wall.shapes[0], spacing_of(fluid), region_, layers));
    });
    for (MovingBoundary& m : moving_)
      if (m.boundary == wall.spec->name) {
        m.samples.push_back({table, spacing_of(fluid), layers});
        if (m.deformation) tell_stretched(m, fluid);
      }
  }

  void pair_meshes(const ObjectSpec& fluid, const std::vector<std::string>& boundaries) {
    for (const std::string& name : boundaries) {
      const Placed& mesh = placed_of(placed_, name);
      if (mesh.spec->kind() != Kind::mesh || world().has_table(sample_table(name, fluid.name)))
        continue;
      problems_.guard(mesh.pointer + "/mesh", [&] { sample_mesh(name, fluid); });
    }
  }

  void sample_mesh(const std::string& mesh, const ObjectSpec& fluid) {
    const double spacing = spacing_of(fluid);
    const int layers = sample_layers(scene_, mesh, fluid.name);
    check_outside(mesh, fluid.name, spacing);
    const auto samples = samples_of_mesh(world(), mesh, spacing, layers);
    tell_thin(mesh, fluid, layers, samples);
    add_mesh_samples(world(), mesh, fluid.name, samples);
    meshes_.emplace_back(world(), mesh, fluid.name);
    const double longest = longest_edge(world(), mesh);
    simulation_.notes.push_back(fmt::format("'{}' shows '{}' {} samples{}", mesh, fluid.name,
                                            samples.size(), room_of(mesh, spacing)));
    if (longest > 2 * spacing)
      simulation_.warnings.push_back(fmt::format(
          "'{}' has edges of up to {:.3g} m, over two spacings of '{}': it meets the fluid in "
          "facets, and what goes on between its points moves nothing; use more cells",
          mesh, longest, fluid.name));
  }

  // What has no inside takes the room of a layer of particles, or of a string of them: this much in
  // water at rest (docs/floating_bodies.md).
  std::string room_of(const std::string& mesh, double spacing) {
    const auto shape = surface_of_mesh(world(), mesh);
    if (shape && shape->closed()) return {};
    const auto x = world().table(mesh).download<Vec<3>>("position");
    const auto way = [&](auto a, auto b) { return widen(x[std::size_t(b)] - x[std::size_t(a)]); };
    double room = 0;
    for (const auto& t : corners_of<3>(world(), triangle_table(mesh)))
      room += spacing * norm(cross(way(t[0], t[1]), way(t[0], t[2]))) / 2;
    if (!shape)
      for (const auto& e : corners_of<2>(world(), edge_table(mesh)))
        room += 1.8 * spacing * spacing * norm(way(e[0], e[1]));
    return fmt::format("; it is as thick as these are, and displaces about {:.2g} m^3", room);
  }

  // A closed mesh is a solid to fluids.
  void check_outside(const std::string& mesh, const std::string& fluid, double spacing) {
    const auto shape = surface_of_mesh(world(), mesh);
    if (!shape || !shape->closed()) return;
    const auto x = world().table(fluid).download<Vec<3>>("position");
    const auto inside = std::ranges::count_if(
        x, [&](const Vec<3>& p) { return shape->distance(widen(p)) < -1e-3 * spacing; });
    if (inside > 0)
      throw Error(ExitCode::bad_input,
                  fmt::format("{} of {} particles of '{}' start inside '{}', which is solid to "
                              "them; take its shape away with \"difference\", or move one of them",
                              inside, x.size(), fluid, mesh));
  }

  void sample_bodies(const Placed& b, const BodiesSpec& bodies, const ObjectSpec& fluid,
                     int layers) {
    std::vector<std::vector<SurfaceSample>> of_shape;
    for (std::size_t i = 0; i < bodies.list.size(); ++i)
      problems_.guard(fmt::format("{}/bodies/{}", b.pointer, i), [&] {
        of_shape.push_back(samples_of_body(bodies.list[i], scene_.dim, spacing_of(fluid), layers));
        tell_thin(b.spec->name + "." + bodies.list[i].name, fluid, layers, of_shape.back());
      });
    if (of_shape.size() == bodies.list.size())
      add_body_samples(world(), b.spec->name, fluid.name, of_shape);
  }

  void tell_thin(const std::string& solid, const ObjectSpec& fluid, int layers,
                 const std::vector<SurfaceSample>& samples) {
    const std::string thin = thin_parts(solid, samples, spacing_of(fluid), layers, scene_.dim);
    if (!thin.empty()) simulation_.warnings.push_back(thin);
  }

  // Surface farther from its samples than 1.25 spacings counts as bare (shapes/sample.cpp).
  void tell_stretched(const MovingBoundary& m, const ObjectSpec& fluid) {
    const double stretch = m.deformation->greatest_stretch();
    if (stretch <= 1.25) return;
    simulation_.warnings.push_back(fmt::format(
        "'{}' stretches to {:.3g} times its lengths at rest, so that its samples for '{}' come to "
        "lie up to {:.3g} m apart and may let it through; give the mesh of its largest frame as "
        "the shape, write more frames a second of a volume, or take a finer spacing",
        m.boundary, stretch, fluid.name, stretch * spacing_of(fluid)));
  }

  const Scene& scene_;
  const std::vector<Placed>& placed_;
  Bounds region_;
  Problems& problems_;
  Simulation& simulation_;
  std::vector<MovingBoundary> moving_;
  std::vector<SampledBodies> bodies_;
  std::vector<MeshSamples> meshes_;
};

}  // namespace

void sample_boundaries(const Scene& scene, const std::vector<Placed>& placed, const Bounds& region,
                       Problems& problems, Simulation& simulation) {
  Sampler(scene, placed, region, problems, simulation).run();
}

}  // namespace rtsim
