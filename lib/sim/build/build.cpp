#include "sim/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "exec/cuda.h"
#include "meshes/tet_quality.h"
#include "shapes/animated_shape.h"
#include "shapes/mesh_file.h"
#include "shapes/motion.h"
#include "shapes/sample.h"
#include "shapes/weld.h"
#include "sim/build/fill_clearance.h"
#include "sim/build/height_field.h"
#include "sim/build/join_bodies.h"
#include "sim/build/meeting_fluids.h"
#include "sim/build/sample_boundaries.h"
#include "sim/check_uses.h"
#include "sim/records/ledger.h"
#include "sim/records/snapshot.h"

namespace rtsim {

namespace {

std::string object_pointer(std::size_t i) { return fmt::format("/objects/{}", i); }

// The first mesh of a shape that is not closed: its file and its open edges.
std::string tell_open_mesh(const ShapeSpec& s) {
  if (s.mesh) {
    const TriangleMesh mesh = weld(read_mesh(std::filesystem::path(s.mesh->file.path)));
    return open_edges(mesh) > 0 ? s.mesh->file.path + ": " + tell_open_edges(mesh) : "";
  }
  for (const auto* parts : {&s.any_of, &s.all_of, &s.difference})
    for (const ShapeSpec& part : *parts)
      if (const std::string told = tell_open_mesh(part); !told.empty()) return told;
  return "";
}

class Builder {
 public:
  Builder(const Scene& scene, const Exec& exec) : scene_(scene), problems_(scene) {
    simulation_.world = std::make_unique<World>(exec, scene.dim);
    world().gravity = {scene.gravity[0], scene.gravity[1], scene.gravity[2]};
    world().seed = std::uint64_t(scene.seed);
  }

  Simulation build() {
    load_shapes();
    problems_.throw_if_any();
    check_memory();
    problems_.throw_if_any();
    for (const Placed& p : placed_)
      if (const auto* particles = p.spec->as<ParticlesSpec>())
        problems_.guard(p.pointer + "/fill", [&] { fill(p, *particles); });
    for (const Placed& p : placed_) {
      if (const auto grid = grid_of(*p.spec, scene_.dim)) add_grid(p, *grid);
      if (const auto* mesh = p.spec->as<MeshObjectSpec>())
        problems_.guard(p.pointer + "/mesh", [&] { add_mesh(p.spec->name, *mesh); });
      if (p.spec->kind() == Kind::bodies)
        join_bodies(world(), p, std::uint64_t(p.spec - scene_.objects.data()), problems_,
                    simulation_.notes);
    }
    problems_.throw_if_any();
    std::vector<Bounds> surfaces;
    for (const Placed& p : placed_)
      for (const auto& shape : p.shapes) surfaces.push_back(shape->surface_bounds());
    sample_boundaries(scene_, placed_, region_around(surfaces, scene_.dim), problems_, simulation_);
    problems_.throw_if_any();
    std::ranges::copy(move_off_walls(world(), scene_), std::back_inserter(simulation_.notes));
    make_stages();
    problems_.throw_if_any();  // what follows would miss those that were not made
    Ledger::add_table(world());
    for (const std::string& p : check_uses(simulation_)) problems_.add("/stages", p);
    check_output();
    problems_.throw_if_any();
    for (const std::string& p : keep_fluids_apart(scene_, simulation_)) problems_.add("/stages", p);
    problems_.throw_if_any();
    return std::move(simulation_);
  }

 private:
  World& world() { return *simulation_.world; }

  void load_shapes() {
    for (std::size_t i = 0; i < scene_.objects.size(); ++i) {
      const ObjectSpec& o = scene_.objects[i];
      Placed p{&o, object_pointer(i), {}, {}};
      const bool particles = o.kind() == Kind::particles;
      const auto* boundary = o.as<BoundarySpec>();
      for (const ShapeSpec& s : shapes_of(o))
        problems_.guard(p.pointer + (boundary ? "/shape" : "/fill"), [&] {
          p.shapes.push_back(make_shape(s, scene_.dim));
          if (particles && !p.shapes.back()->closed())
            throw Error(ExitCode::bad_input,
                        tell_open_mesh(s) +
                            ": the mesh is not closed, so it has no inside to fill; close its "
                            "holes, or use it as a boundary");
        });
      if (const auto* field = o.as<HeightFieldSpec>())
        for (const ShapeSpec& s : field->bed)
          problems_.guard(p.pointer + "/bed", [&] { p.bed.push_back(make_shape(s, scene_.dim)); });
      if (const auto* fluid = o.as<ParticlesSpec>(); fluid && fluid->settling_time > 0)
        simulation_.settling_time[o.name] = fluid->settling_time;
      Object made{o.name, o.kind(), spacing_of(o),
                  moves(o) || o.kind() == Kind::bodies || o.kind() == Kind::mesh};
      if (boundary && !p.shapes.empty()) made.shape = p.shapes[0];
      if (boundary) made.material = boundary->material;
      if (moves(o)) made.motion = std::make_shared<const MotionSpec>(boundary->motion);
      if (boundary && boundary->deformation && !p.shapes.empty())
        problems_.guard(p.pointer + "/deformation/frames",
                        [&] { add_deformation(made, *boundary); });
      // The file of a volume's shape is no frame: it begins as they do.
      if (made.deformation && boundary->shape.volume)
        made.shape = p.shapes[0] =
            made.deformation->solid(made.deformation->surface(made.deformation->surface_in(0, 0)));
      made.grid = grid_of(o, scene_.dim);
      world().objects.push_back(std::move(made));
      placed_.push_back(std::move(p));
    }
  }

  void add_deformation(Object& o, const BoundarySpec& spec) {
    o.deformation = make_animated_shape(spec.shape, *spec.deformation);
    simulation_.notes.push_back(fmt::format("'{}' deforms: {}", o.name, o.deformation->tell()));
    if (const std::string far = o.deformation->warning(); !far.empty())
      simulation_.warnings.push_back(fmt::format("'{}' deforms: {}", o.name, far));
    Table& corners = world().add_table(corner_table(o.name), 0);
    corners.add<Vec3d>({"own", "m", Role::scratch});
    corners.add<Vec<3>>({"position", "m", Role::scratch});
    corners.add<Vec<3>>({"velocity", "m/s", Role::scratch});
    world()
        .add_table(face_table(o.name), 0)
        .add<VecT<std::int32_t, 3>>({"corner", "", Role::scratch});
  }

  void check_memory() {
    double bytes = 0;
    for (const ObjectEstimate& e : estimate(scene_)) {
      bytes += e.bytes;
      const Kind kind = world().object(e.name).kind;
      if (e.rows > (kind == Kind::boundary ? 2e7 : kind == Kind::bodies ? 1e8 : 2e9))
        problems_.add("/objects", too_many(e, kind));
    }
    const bool device = world().exec.backend() == Backend::cuda;
    const double there = device ? cuda::free_memory() : machine_memory();
    if (bytes > there)
      problems_.add("/objects",
                    fmt::format("needs about {:.3g} GB, {} has {:.3g} GB; use a larger spacing{}",
                                bytes / 1e9, device ? "the device" : "this machine", there / 1e9,
                                maps_volumes() ? " or \"map_cell\"" : ""));
  }

  static std::string too_many(const ObjectEstimate& e, Kind kind) {
    if (kind == Kind::mesh)
      return fmt::format("'{}' would have {:.2g} points; use fewer cells", e.name, e.rows);
    if (kind == Kind::bodies)
      return fmt::format("'{}' would have {:.2g} bodies; use smaller counts", e.name, e.rows);
    if (kind == Kind::grid || kind == Kind::height_field)
      return fmt::format("'{}' would have {:.2g} cells; use a larger spacing", e.name, e.rows);
    return fmt::format(
        "'{}' would have {:.2g} {}; use a larger spacing, a smaller "
        "\"max_particles\", or \"scale\" in its transform where its file is in "
        "millimetres",
        e.name, e.rows, kind == Kind::boundary ? "samples" : "particles");
  }

  void add_grid(const Placed& p, const GridShape& grid) {
    Table& t = world().add_table(p.spec->name, Index(grid.rows()));
    if (p.spec->kind() == Kind::height_field) add_columns_of_water(t, grid, p.bed, p.shapes);
  }

  void add_mesh(const std::string& name, const MeshObjectSpec& spec) {
    const CellMesh cells = make_cells(spec.cells);
    std::vector<Vec3d> velocity;
    for (const Vec3d& x : cells.points) velocity.push_back(velocity_at_start(spec, x));
    rtsim::add_mesh(world(), name, cells, spec.mass, velocity);
    for (Object& o : world().objects)
      if (o.name == name) std::ranges::copy(cells.sheet, o.sheet);
    for (const std::string& note : cells.notes)
      simulation_.notes.push_back(fmt::format("'{}': {}", name, note));
    if (spec.cells.is_filled() && !cells.tets.empty())
      simulation_.notes.push_back(fmt::format("'{}': {}", name, tell_tets(cells)));
    const std::string large = tell_large(cells, norm(world().gravity_vector<3>()));
    if (spec.cells.is_of_file() && !large.empty())
      simulation_.notes.push_back(fmt::format("'{}': {}", name, large));
  }

  // Of particles and of the points of a mesh.
  Vec3d velocity_at_start(const auto& spec, const Vec3d& x) const {
    return spec.flow ? spec.velocity + spec.flow->velocity(x, scene_.dim) : spec.velocity;
  }

  bool maps_volumes() const {
    return std::ranges::any_of(scene_.stages, [&](const StageSpec& s) {
      return s.boundary_memory && s.boundary_memory(scene_.dim).node_bytes > 0;
    });
  }

  // Several fills are a union: later shapes leave out what earlier ones hold. Without any the fluid
  // starts empty, and has to come from a source.
  void fill(const Placed& p, const ParticlesSpec& spec) {
    std::vector<Vec3d> points;
    std::vector<double> spacings;  // of each point's lattice [m]
    if (p.shapes.empty() && !is_emitted(p.spec->name))
      throw Error(ExitCode::bad_input, "missing, and no stage emits these particles");
    for (std::size_t s = 0; s < p.shapes.size(); ++s) {
      const Fill fill = fitted_fill(spec.fill[s], *p.shapes[s], spec.spacing, scene_.dim);
      for (const Vec3d& x : fill.points) {
        bool taken = false;
        for (std::size_t e = 0; e < s && !taken; ++e) taken = p.shapes[e]->distance(x) < 0;
        if (!taken) points.push_back(x), spacings.push_back(fill.spacing);
      }
    }
    if (points.empty() && !p.shapes.empty())
      throw Error(ExitCode::bad_input,
                  fmt::format("no lattice point of spacing {} m lies inside; use a smaller "
                              "spacing or a larger shape",
                              spec.spacing));
    fit_spacing(p.spec->name, spec.spacing, mean_spacing(spacings, scene_.dim, spec.spacing));
    check_overlap(spec.spacing, points);
    if (scene_.dim == 2)
      add_particles<2>(p.spec->name, spec, points);
    else
      add_particles<3>(p.spec->name, spec, points);
  }

  void fit_spacing(const std::string& name, double asked, double spacing) {
    if (spacing == asked) return;
    std::ranges::find(world().objects, name, &Object::name)->spacing = spacing;
    simulation_.notes.push_back(fmt::format(
        "the spacing of '{}' is {:.6g} m in place of {:.6g}, so that its particles fill "
        "their shape and have its mass",
        name, spacing, asked));
  }

  // Of a lattice with the same room for all points together.
  static double mean_spacing(const std::vector<double>& of_points, int dim, double none) {
    if (of_points.empty()) return none;
    const double first = of_points[0];
    double room = 0;
    for (double d : of_points) room += std::pow(d / first, dim);
    const double mean = room / double(of_points.size());
    return mean == 1 ? first : first * std::pow(mean, 1.0 / dim);
  }

  bool is_emitted(const std::string& name) const {
    return std::ranges::any_of(
        scene_.stages, [&](const StageSpec& s) { return s.budget && s.budget->table == name; });
  }

  void check_overlap(double spacing, const std::vector<Vec3d>& points) {
    for (const Placed& b : placed_) {
      const auto* boundary = b.spec->as<BoundarySpec>();
      if (!boundary || !b.shapes[0]->closed()) continue;
      const auto& deforming = world().object(b.spec->name).deformation;
      const auto deformed = deforming ? deforming->standing(0, boundary->motion) : nullptr;
      const Pose start = pose_at(boundary->motion, 0);
      std::size_t inside = 0;
      for (const Vec3d& x : points)
        inside += (deformed ? deformed->distance(x) : b.shapes[0]->distance(start.to_local(x))) <
                  -1e-6 * spacing;
      if (inside > 0)
        throw Error(ExitCode::bad_input, fmt::format("{} of {} particles start inside '{}'; take "
                                                     "its shape away with \"difference\", or move "
                                                     "one of them",
                                                     inside, points.size(), b.spec->name));
    }
  }

  template <int D>
  void add_particles(const std::string& name, const ParticlesSpec& spec,
                     const std::vector<Vec3d>& points) {
    Table& t = world().add_table(name, Index(points.size()));
    std::vector<Vec<D>> position, velocity;
    position.reserve(points.size()), velocity.reserve(points.size());
    for (const Vec3d& x : points) {
      position.push_back(narrow<D>(x));
      velocity.push_back(narrow<D>(velocity_at_start(spec, x)));
    }
    std::vector<std::uint32_t> id(points.size());
    std::iota(id.begin(), id.end(), world().take_ids(Index(points.size())));
    t.add<Vec<D>>({"position", "m"}, position);
    t.add<Vec<D>>({"velocity", "m/s"}, velocity);
    t.add<std::uint32_t>({"id", ""}, id);
  }

  void make_stages() {
    for (std::size_t i = 0; i < scene_.stages.size(); ++i)
      problems_.guard(fmt::format("/stages/{}", i), [&] {
        simulation_.pipeline.push_back(
            {scene_.stages[i].name, scene_.stages[i].make(world(), scene_.stages[i].name)});
      });
  }

  void check_output() {
    for (std::size_t i = 0; i < scene_.output.size(); ++i)
      problems_.guard(fmt::format("/output/{}", i), [&] {
        check_output_of(world(), scene_.output[i]);
        show_tables_of(scene_.output[i], simulation_);
      });
  }

  const Scene& scene_;
  Problems problems_;
  Simulation simulation_;
  std::vector<Placed> placed_;
};

}  // namespace

Bounds region_around(const std::vector<Bounds>& surfaces, int dim) {
  const auto finite = [dim](const Bounds& b) {
    for (int k = 0; k < dim; ++k)
      if (!std::isfinite(b.min[k]) || !std::isfinite(b.max[k])) return false;
    return true;
  };
  Bounds all;
  bool first = true;
  for (const Bounds& b : surfaces) {
    if (!finite(b)) continue;
    for (int k = 0; k < 3; ++k) {
      all.min[k] = first ? b.min[k] : std::min(all.min[k], b.min[k]);
      all.max[k] = first ? b.max[k] : std::max(all.max[k], b.max[k]);
    }
    first = false;
  }
  double extent = 0;
  for (int k = 0; k < dim; ++k) extent = std::max(extent, all.max[k] - all.min[k]);
  for (int k = 0; k < 3; ++k) all.min[k] -= extent, all.max[k] += extent;
  return all;
}

Simulation build(const Scene& scene, const Exec& exec) { return Builder(scene, exec).build(); }

}  // namespace rtsim
