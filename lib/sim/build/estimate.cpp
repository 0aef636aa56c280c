#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "base/numbered_files.h"
#include "bodies/joints/joint_order.h"
#include "bodies/joints/make_joints.h"
#include "bodies/make_bodies.h"
#include "shapes/deforming_mesh.h"
#include "shapes/sample.h"
#include "sim/build/build.h"
#include "sim/records/snapshot.h"

namespace rtsim {

namespace {

// Measured with `rtsim bench`: columns, cell order, neighbour lists. Lists grow with the kernel.
constexpr double particle_bytes = 280, sample_bytes = 132;

// Of a point of a sheet: columns, three edges and two triangles; what stages keep comes on top.
// Solids have about twice as many cells a point.
constexpr double point_bytes =
    3 * sizeof(Vec<3>) + 2 * sizeof(Real) + 4 + 3 * 2 * sizeof(Index) + 2 * 3 * sizeof(Index);

// Of a body: columns, and the contacts that it has in a pile.
constexpr double body_bytes = 2500;

// Of a cell, where the stages of its grid do not say.
constexpr double cell_bytes = 64;

double surface_rows(const Bounds& b, double spacing, int dim) {
  double side[3] = {0, 0, 0};
  for (int k = 0; k < dim; ++k) {
    const double extent = b.max[k] - b.min[k];
    side[k] = std::isfinite(extent) ? extent / spacing + 2 : 0;
  }
  if (dim == 2) return 2 * (side[0] + side[1]);
  return 2 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
}

// Of the start, or of what sources may make of it.
double particle_rows(const Scene& scene, const std::string& name, const ParticlesSpec& o) {
  double rows = 0;
  for (const ShapeSpec& s : o.fill)
    rows += estimate_volume(*make_shape(s, scene.dim), scene.dim) / std::pow(o.spacing, scene.dim);
  for (const StageSpec& s : scene.stages)
    if (s.budget && s.budget->table == name) rows = std::max(rows, s.budget->rows);
  return rows;
}

double sample_rows(const Scene& scene, const BoundarySpec& o, double spacing) {
  if (!(spacing > 0)) return 0;
  return surface_rows(make_shape(o.shape, scene.dim)->surface_bounds(), spacing, scene.dim);
}

// Of all shapes of the scene that can be made.
Bounds scene_region(const Scene& scene) {
  std::vector<Bounds> surfaces;
  for (const ObjectSpec& o : scene.objects)
    for (const ShapeSpec& s : shapes_of(o))
      surfaces.push_back(make_shape(s, scene.dim)->surface_bounds());
  return region_around(surfaces, scene.dim);
}

// Infinite walls are sampled, and mapped, as far as the scene goes.
double grid_nodes(const Scene& scene, const BoundarySpec& o, double cell, double margin) {
  const Bounds b = make_shape(o.shape, scene.dim)->surface_bounds();
  double nodes = 1;
  for (int k = 0; k < scene.dim; ++k) {
    double extent = b.max[k] - b.min[k];
    if (!std::isfinite(extent)) {
      const Bounds whole = scene_region(scene);
      extent = whole.max[k] - whole.min[k];
    }
    nodes *= (extent + 2 * margin) / cell + 4;
  }
  return nodes;
}

// What stages keep for an object that has so many rows, or samples.
double stage_bytes(const Scene& scene, const ObjectSpec& o, double rows) {
  double bytes = 0;
  for (const StageSpec& stage : scene.stages) {
    if (!stage.boundary_memory) continue;
    const BoundaryMemory m = stage.boundary_memory(scene.dim);
    if (m.fluid == o.name) bytes += rows * m.row_bytes;
    const auto times = double(std::ranges::count(m.boundaries, o.name));
    const auto fluid = std::ranges::find(scene.objects, m.fluid, &ObjectSpec::name);
    if (times == 0 || fluid == scene.objects.end()) continue;
    bytes += times * rows * m.sample_bytes;
    const double spacing = spacing_of(*fluid);
    if (const auto* boundary = o.as<BoundarySpec>(); boundary && m.node_bytes > 0)
      bytes += times * m.node_bytes *
               grid_nodes(scene, *boundary, m.cell.value_or(spacing), m.margin * spacing);
  }
  return bytes;
}

// A body's, or the points' from which its hull is made.
Bounds surface_of(const BodySpec& b, int dim) {
  if (!b.shape.empty()) return make_shape(b.shape[0], dim)->surface_bounds();
  const std::vector<Vec3d> points =
      dim == 2 ? place_body(b, dim).shape.parts[0].points : place_body(b, dim).shape.vertices;
  Bounds all{points[0], points[0]};
  for (const Vec3d& x : points)
    for (int k = 0; k < 3; ++k)
      all.min[k] = std::min(all.min[k], x[k]), all.max[k] = std::max(all.max[k], x[k]);
  return all;
}

// Each fluid that sees bodies has samples of them, and stages keep something of these.
double body_sample_bytes(const Scene& scene, const std::string& name, const BodiesSpec& bodies) {
  double bytes = 0;
  for (const StageSpec& stage : scene.stages) {
    if (!stage.boundary_memory) continue;
    const BoundaryMemory m = stage.boundary_memory(scene.dim);
    const auto fluid = std::ranges::find(scene.objects, m.fluid, &ObjectSpec::name);
    if (std::ranges::count(m.boundaries, name) == 0 || fluid == scene.objects.end() ||
        fluid->kind() != Kind::particles)
      continue;
    double rows = 0;
    for (const BodySpec& b : bodies.list)
      rows += estimate_rows(b, scene.dim) *
              surface_rows(surface_of(b, scene.dim), spacing_of(*fluid), scene.dim);
    bytes += rows * sample_layers(scene, name, m.fluid) *
             ((m.margin > 0 ? sample_bytes : 0) + m.sample_bytes + m.body_sample_bytes);
  }
  return bytes;
}

// Each grid that meets bodies has a map of the distance to each shape, a few cells wider than it.
double body_map_bytes(const Scene& scene, const std::string& name, const BodiesSpec& bodies) {
  constexpr double band = 4;
  double bytes = 0;
  for (const StageSpec& stage : scene.stages) {
    const auto names = [&](const std::string& object) {
      return std::ranges::count(stage.roles, object, &RoleUse::object) > 0;
    };
    if (!names(name)) continue;
    for (const ObjectSpec& o : scene.objects) {
      if (o.kind() != Kind::grid || !names(o.name)) continue;
      for (const BodySpec& b : bodies.list) {
        const Bounds s = surface_of(b, scene.dim);
        double cells = 1;
        for (int k = 0; k < scene.dim; ++k)
          cells *= (s.max[k] - s.min[k]) / spacing_of(o) + 2 * band + 1;
        bytes += cells * sizeof(Real);
      }
    }
  }
  return bytes;
}

// All stages of a grid or a mesh: each has its own columns and scratch.
double bytes_of_row(const Scene& scene, const ObjectSpec& o, const GridShape& grid) {
  double bytes = 0;
  for (const StageSpec& s : scene.stages)
    for (const RoleUse& use : s.roles)
      if (use.object == o.name && s.row_bytes) bytes += s.row_bytes(grid);
  return bytes;
}

ObjectEstimate estimate_mesh(const Scene& scene, const ObjectSpec& o, const CellMeshSpec& mesh) {
  const double rows = estimate_points(mesh);
  // Points of solids are in more elements, and those of second order have more beside them.
  const double cells =
      (mesh.block || mesh.solid || mesh.cells ? 2 : 1) * (mesh.order.value_or(1) == 2 ? 1.4 : 1);
  return {o.name, rows, cells * rows * (point_bytes + bytes_of_row(scene, o, {}))};
}

ObjectEstimate estimate_bodies(const Scene& scene, const std::string& name, const BodiesSpec& o) {
  double rows = 0;
  for (const BodySpec& b : o.list) rows += estimate_rows(b, scene.dim);
  return {name, rows,
          rows * body_bytes + body_sample_bytes(scene, name, o) + body_map_bytes(scene, name, o) +
              joint_bytes(estimate_joints(o, scene.dim), Index(rows), scene.dim)};
}

// All frames of a deformation are kept: of a mesh the corners, of a volume besides its triangles,
// its way and its distance, about 320 bytes a corner. Those that are not there, or no such files,
// are found by others.
double frame_bytes(const BoundarySpec& o) try {
  if (!o.deformation) return 0;
  const double corners = double(read_surface(o.shape).vertices.size()),
               bytes = o.shape.volume ? 320 : sizeof(Vec3d);
  return corners * double(numbered_files(o.deformation->frames.pattern).size()) * bytes;
} catch (const Error& e) {
  if (e.code() != ExitCode::bad_input) throw;
  return 0;
}

bool uses(const Scene& scene, const StageSpec& stage, Kind kind) {
  return std::ranges::any_of(stage.roles, [&](const RoleUse& use) {
    const auto o = std::ranges::find(scene.objects, use.object, &ObjectSpec::name);
    return o != scene.objects.end() && o->kind() == kind;
  });
}

// What stages name whose particles meet samples.
std::set<std::string> sampled_objects(const Scene& scene) {
  std::set<std::string> names;
  for (const StageSpec& stage : scene.stages)
    if (uses(scene, stage, Kind::particles) && meets_samples(scene, stage))
      for (const RoleUse& use : stage.roles) names.insert(use.object);
  return names;
}

// Boundaries among the `sampled` are so as finely as the `finest` particles.
ObjectEstimate estimate_object(const Scene& scene, const ObjectSpec& o, double finest,
                               const std::set<std::string>& sampled) {
  if (const auto grid = grid_of(o, scene.dim))
    return {o.name, grid->rows(),
            grid->rows() * std::max(bytes_of_row(scene, o, *grid), cell_bytes)};
  if (const auto* mesh = o.as<MeshObjectSpec>()) return estimate_mesh(scene, o, mesh->cells);
  if (const auto* bodies = o.as<BodiesSpec>()) return estimate_bodies(scene, o.name, *bodies);
  const auto* particles = o.as<ParticlesSpec>();
  const double rows =
      particles ? particle_rows(scene, o.name, *particles)
      : sampled.contains(o.name)
          ? sample_layers(scene, o.name) * sample_rows(scene, *o.as<BoundarySpec>(), finest)
          : 0;
  return {o.name, rows,
          rows * (particles ? particle_bytes : sample_bytes) + stage_bytes(scene, o, rows) +
              (particles ? 0 : frame_bytes(*o.as<BoundarySpec>()))};
}

// Where the scene says what an object consists of.
std::string object_place(std::size_t i, Kind kind) {
  const char* key = kind == Kind::boundary ? "/shape"
                    : kind == Kind::mesh   ? "/mesh"
                    : kind == Kind::bodies ? "/bodies"
                                           : "/fill";
  return "/objects/" + std::to_string(i) + key;
}

}  // namespace

std::vector<ObjectEstimate> estimate(const Scene& scene) {
  double finest = 0;
  for (const ObjectSpec& o : scene.objects)
    if (const auto* p = o.as<ParticlesSpec>())
      finest = finest == 0 ? p->spacing : std::min(finest, p->spacing);

  const std::set<std::string> sampled = sampled_objects(scene);
  std::vector<ObjectEstimate> result;
  std::string problems;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const ObjectSpec& o = scene.objects[i];
    try {
      result.push_back(estimate_object(scene, o, finest, sampled));
    } catch (const Error& e) {
      if (e.code() != ExitCode::bad_input) throw;
      const std::string pointer = object_place(i, o.kind());
      problems += (problems.empty() ? "" : "\n") + scene_problem(scene, pointer, e.what());
    }
  }
  if (!problems.empty()) throw Error(ExitCode::bad_input, problems);
  return result;
}

bool meets_samples(const Scene& scene, const StageSpec& stage) {
  if (uses(scene, stage, Kind::grid)) return false;
  return !stage.boundary_memory || stage.boundary_memory(scene.dim).margin > 0;
}

int sample_layers(const Scene& scene, const std::string& boundary, const std::string& fluid) {
  int most = 1;
  for (const StageSpec& stage : scene.stages) {
    if (!stage.boundary_memory) continue;
    const BoundaryMemory m = stage.boundary_memory(scene.dim);
    if (m.node_bytes > 0 || (!fluid.empty() && m.fluid != fluid)) continue;
    if (std::ranges::count(m.boundaries, boundary) > 0)
      most = std::max(most, int(std::ceil(m.margin)) - 1);
  }
  return most;
}

double process_memory() {
  double program = 0, resident = 0;  // pages
  std::ifstream("/proc/self/statm") >> program >> resident;
  return resident * double(sysconf(_SC_PAGE_SIZE));
}

double frames_bytes(World& world, const Scene& scene, long first) {
  double bytes = 0;
  const long last = scene.time.frame_count();
  for (const Output& o : scene.output) {
    const long every = o.every, due = last / every - (first + every - 1) / every + 1;
    bytes += double(frame_bytes(world, o)) * double(std::max(due, 0L));
  }
  return bytes;
}

double checkpoint_bytes(const World& world) {
  double bytes = 0;
  for (const auto& t : world.tables())
    for (const Column& c : t->columns())
      if (c.info.role == Role::state) bytes += double(t->capacity()) * double(c.type.bytes());
  return bytes;
}

double machine_memory() {
  double bytes = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  double limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace rtsim
