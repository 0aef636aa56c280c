#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "bodies/material.h"
#include "shapes/motion.h"
#include "sim/scene_describe.h"

namespace rtsim {

namespace {

GridShape shape_of(double spacing, const Vec3d& min, const Vec3d& max, bool x, bool y, bool z) {
  GridShape g;
  g.spacing = spacing;
  const bool spans[3] = {x, y, z};
  for (int a = 0; a < 3; ++a) {
    g.spans[a] = spans[a];
    if (!g.spans[a]) continue;
    g.low[a] = min[a];
    g.cells[a] = Index(std::lround((max[a] - min[a]) / spacing));
  }
  return g;
}

}  // namespace

GridShape GridSpec::shape(int dim) const {
  return shape_of(spacing, min, max, true, true, dim == 3);
}

GridShape HeightFieldSpec::shape() const { return shape_of(spacing, min, max, true, false, true); }

ObjectSpec::Of ObjectSpec::of_kind(Kind kind) {
  switch (kind) {
    case Kind::particles:
      return ParticlesSpec{};
    case Kind::mesh:
      return MeshObjectSpec{};
    case Kind::grid:
      return GridSpec{};
    case Kind::height_field:
      return HeightFieldSpec{};
    case Kind::bodies:
      return BodiesSpec{};
    case Kind::boundary:
      break;
  }
  return BoundarySpec{};
}

double spacing_of(const ObjectSpec& o) {
  if (const auto* particles = o.as<ParticlesSpec>()) return particles->spacing;
  if (const auto* grid = o.as<GridSpec>()) return grid->spacing;
  const auto* field = o.as<HeightFieldSpec>();
  return field ? field->spacing : 0;
}

std::optional<GridShape> grid_of(const ObjectSpec& o, int dim) {
  if (const auto* grid = o.as<GridSpec>()) return grid->shape(dim);
  if (const auto* field = o.as<HeightFieldSpec>()) return field->shape();
  return {};
}

std::vector<ShapeSpec> shapes_of(const ObjectSpec& o) {
  if (const auto* particles = o.as<ParticlesSpec>()) return particles->fill;
  if (const auto* field = o.as<HeightFieldSpec>()) return field->fill;
  if (const auto* boundary = o.as<BoundarySpec>()) return {boundary->shape};
  return {};
}

bool moves(const ObjectSpec& o) {
  const auto* boundary = o.as<BoundarySpec>();
  return boundary && (boundary->deformation || moves(boundary->motion));
}

namespace {

constexpr Option kinds[] = {
    {"particles", int(Kind::particles), "points with mass."},
    {"mesh", int(Kind::mesh), "points joined by edges, triangles or tetrahedra; dim 3."},
    {"grid", int(Kind::grid), "cells of one size in a box, for smoke and flows."},
    {"height_field", int(Kind::height_field), "columns of water over a ground, y up; dim 3."},
    {"bodies", int(Kind::bodies), "rigid bodies."},
    {"boundary", int(Kind::boundary), "a wall or an obstacle, fixed or moved."},
};

// The cells along each axis that the grid has an extent along, as a real number.
void check_whole_cells(Describe& d, const GridShape& g, const Vec3d& min, const Vec3d& max) {
  for (int a = 0; a < 3; ++a) {
    if (!g.spans[a]) continue;
    const double cells = (max[a] - min[a]) / g.spacing, whole = std::round(cells);
    if (!(cells > 0.5)) return d.fault("max", "must lie above \"min\" by at least one cell");
    if (whole > 1e6) return d.fault("spacing", "makes over a million cells along an axis");
    if (std::abs(cells - whole) > 1e-4 * whole)
      return d.fault("spacing", fmt::format("the {} m along {} are {:.6g} cells; a spacing of "
                                            "{:.9g} m makes {} of them",
                                            max[a] - min[a], "xyz"[a], cells,
                                            (max[a] - min[a]) / whole, whole));
  }
}

// Whether the box was read.
bool describe_extent(Describe& d, double& spacing, Vec3d& min, Vec3d& max) {
  d.required("spacing", spacing, "m", above(0), "Side of a cell; the box is whole cells.");
  d.required("min", min, "m", any(), "Lower corner of the box.");
  d.required("max", max, "m", any(), "Upper corner of the box.");
  return d.given("min") && d.given("max") && spacing > 0;
}

void describe(Describe& d, GridSpec& o) {
  if (describe_extent(d, o.spacing, o.min, o.max))
    check_whole_cells(d, o.shape(d.dim()), o.min, o.max);
}

void describe(Describe& d, HeightFieldSpec& o) {
  if (describe_extent(d, o.spacing, o.min, o.max)) check_whole_cells(d, o.shape(), o.min, o.max);
  d.one_or_many("bed", o.bed,
                "The ground: what stands highest of these, and y = 0 where none does: an island "
                "whose rim lies lower wants a \"plane\" beside it.",
                "shape");
  d.one_or_many("fill", o.fill, "The water at the start, up to the highest of these.", "shape");
  if (d.dim() == 2) d.fault("kind", "\"height_field\" needs \"dim\": 3; its columns stand along y");
}

void describe(Describe& d, ParticlesSpec& o) {
  d.required("spacing", o.spacing, "m", above(0),
             "Distance of neighbouring particles at the start; a box, and what is cut from one by "
             "\"difference\", is filled by as many whole cells as come nearest to it.");
  d.one_or_many(
      "fill", o.fill,
      "What the particles fill at the start; nothing where a stage emits them all. Those "
      "nearer to walls than half a spacing are moved off them, and before the first step "
      "all settle without gravity and velocity, so that nothing compressed flies apart. "
      "With flip those inside of walls, bodies and meshes are left out, and none settles.",
      "shape");
  d("settling_time", o.settling_time, "s", at_least(0),
    "How long they settle under gravity before the first step, between walls that stand still, "
    "their motion taken away whenever it fades; in as many steps as the run takes for that time. "
    "A lattice under pressure buckles into denser packings, which stirs water that should be "
    "still by some 10 % of sqrt(gravity * depth); after 10 sqrt(depth / gravity) it is done. For "
    "what stands where it was filled: a column without walls falls.");
  d.vector("velocity", o.velocity, "m/s", "Of every particle at the start.");
  d.nested("flow", o.flow,
           "Velocity at the start that differs from place to place, on top of `velocity`.");
}

void describe(Describe& d, MeshObjectSpec& o) {
  d.nested("mesh", o.cells, "Its points and cells, at rest as at the start.");
  d("density", o.mass.density, "kg/m^k", above(0),
    "Of its cells: k is 3 for tetrahedra, 2 for triangles, 1 for lines; each gives its points "
    "equal shares. Default: from `vertex_mass` or `masses`.");
  d("vertex_mass", o.mass.vertex_mass, "kg", above(0),
    "Of every point alike. Default: from `density`.");
  d.vector("velocity", o.velocity, "m/s", "Of every point at the start.");
  d.nested("flow", o.flow,
           "Velocity at the start that differs from place to place, on top of `velocity`: a solid "
           "that spins, or is drawn out.");
  if (d.given("density") && d.given("vertex_mass"))
    d.fault("vertex_mass", "give \"density\" or \"vertex_mass\", not both");
  if (d.dim() == 2) d.fault("kind", "\"mesh\" needs \"dim\": 3");
}

void describe_joints(Describe& d, BodiesSpec& bodies) {
  d.list("joints", bodies.joints, "What holds them together, for the stage that moves them.",
         "joint");
  for (std::size_t i = 0; i < bodies.joints.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!bodies.joints[i].name.empty() && bodies.joints[i].name == bodies.joints[j].name)
        d.fault("joints", fmt::format("{} and {} are both named \"{}\"; series need names of their "
                                      "own",
                                      j, i, bodies.joints[i].name));
}

void describe(Describe& d, BodiesSpec& o) {
  d("density", o.density, "kg/m^D", above(0), "Of bodies that give no mass of their own.");
  d.list("bodies", o.list, "What there is.", "body", Need::required);
  if (d.given("bodies") && o.list.empty()) d.fault("bodies", "has none; give one or more");
  for (std::size_t i = 0; i < o.list.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!o.list[i].name.empty() && o.list[i].name == o.list[j].name)
        d.fault("bodies", fmt::format("{} and {} are both named \"{}\"; series need names of their "
                                      "own",
                                      j, i, o.list[i].name));
  describe_joints(d, o);
}

void describe(Describe& d, BoundarySpec& o) {
  std::optional<ShapeSpec> shape = std::move(o.shape);
  d.nested("shape", shape, "Its surface and inside.", "shape", Need::required);
  o.shape = std::move(shape).value_or(ShapeSpec{});
  d.nested("motion", o.motion, "How it moves.", "motion");
  describe_deformation(
      d, o.deformation, &o.shape,
      "How the corners of its mesh move, as the frames of an animation or of another run have "
      "them, on top of its motion; of a `volume`, how its surface does. Fluids of particles, "
      "fluids on staggered grids (`flip`, "
      "`smoke`, `clouds`) and meshes that touch it with their points meet such a boundary; "
      "other stages refuse it.");
  d.nested("material", o.material, "What is its own where rigid bodies touch it.");
}

// The keys that a thing has.
class Keys final : public Describe {
 public:
  std::vector<std::string> names;

 protected:
  void value(const Field& f, Value) override { names.emplace_back(f.key); }
  bool choice_value(const Field& f, int&) override { return names.emplace_back(f.key), true; }
  void group(const Field& f, bool*, const Walk&) override { names.emplace_back(f.key); }
  void sequence(const Field& f, const std::function<void(std::size_t)>&, std::size_t,
                const std::function<void(Describe&, std::size_t)>&) override {
    names.emplace_back(f.key);
  }
};

std::vector<std::string> keys_of(ObjectSpec::Of of) {
  Keys keys;
  std::visit([&](auto& o) { describe(keys, o); }, of);
  return std::move(keys.names);
}

// A fault at each key that only other kinds have.
void refuse_keys_of_others(Describe& d, Kind own) {
  std::map<std::string, std::vector<std::string>> kinds_with;
  for (const Option& kind : kinds)
    for (std::string& key : keys_of(ObjectSpec::of_kind(Kind(kind.value))))
      kinds_with[std::move(key)].push_back(fmt::format("\"{}\"", kind.name));
  const std::vector<std::string> has = keys_of(ObjectSpec::of_kind(own));
  for (const auto& [key, others] : kinds_with)
    if (d.given(key.c_str()) && !std::ranges::count(has, key))
      d.fault(key.c_str(),
              fmt::format("is for kind {}; kind \"{}\" has \"{}\"", fmt::join(others, ", "),
                          to_string(own), fmt::join(has, "\", \"")));
}

}  // namespace

void describe(Describe& d, ObjectSpec& o) {
  d.required("name", o.name, "What stages, outputs and series call it: letters, digits, _ and -.");
  check_name(d, o.name);
  Kind kind = o.kind();
  if (!d.choice("kind", kind, kinds, "What it is:", Need::required)) return d.ignore_rest();
  if (kind != o.kind()) o.of = ObjectSpec::of_kind(kind);
  std::visit([&](auto& of) { describe(d, of); }, o.of);
  refuse_keys_of_others(d, kind);
}

}  // namespace rtsim
