#include <fmt/format.h>

#include <cmath>

#include "bodies/material.h"
#include "sim/scene_describe.h"

namespace rtsim {

GridShape ObjectSpec::grid(int dim) const {
  GridShape g;
  g.spacing = spacing;
  for (int a = 0; a < 3; ++a) {
    g.spans[a] = kind == Kind::height_field ? a != 1 : a < dim;
    if (!g.spans[a]) continue;
    g.low[a] = min[a];
    g.cells[a] = Index(std::lround((max[a] - min[a]) / spacing));
  }
  return g;
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
void check_whole_cells(Describe& d, const ObjectSpec& o) {
  if (!d.given("min") || !d.given("max") || !(o.spacing > 0)) return;
  const GridShape g = o.grid(d.dim());
  for (int a = 0; a < 3; ++a) {
    if (!g.spans[a]) continue;
    const double cells = (o.max[a] - o.min[a]) / o.spacing, whole = std::round(cells);
    if (!(cells > 0.5)) return d.fault("max", "must lie above \"min\" by at least one cell");
    if (whole > 1e6) return d.fault("spacing", "makes over a million cells along an axis");
    if (std::abs(cells - whole) > 1e-4 * whole)
      return d.fault("spacing", fmt::format("the {} m along {} are {:.6g} cells; a spacing of "
                                            "{:.9g} m makes {} of them",
                                            o.max[a] - o.min[a], "xyz"[a], cells,
                                            (o.max[a] - o.min[a]) / whole, whole));
  }
}

void describe_extent(Describe& d, ObjectSpec& o) {
  d.required("spacing", o.spacing, "m", above(0), "Side of a cell; the box is whole cells.");
  d.required("min", o.min, "m", any(), "Lower corner of the box.");
  d.required("max", o.max, "m", any(), "Upper corner of the box.");
  check_whole_cells(d, o);
}

void describe_grid(Describe& d, ObjectSpec& o) {
  describe_extent(d, o);
  refuse(d,
         {"fill", "velocity", "flow", "shape", "motion", "material", "bed", "mesh", "density",
          "vertex_mass", "bodies", "joints"},
         "is not for kind \"grid\"; its stage says what it holds at the start");
}

void describe_height_field(Describe& d, ObjectSpec& o) {
  describe_extent(d, o);
  d.one_or_many("bed", o.bed,
                "The ground: what stands highest of these, and y = 0 where none does: an island "
                "whose rim lies lower wants a \"plane\" beside it.",
                "shape");
  d.one_or_many("fill", o.fill, "The water at the start, up to the highest of these.", "shape");
  refuse(d,
         {"velocity", "flow", "shape", "motion", "material", "mesh", "density", "vertex_mass",
          "bodies", "joints"},
         "is not for kind \"height_field\"; it has \"bed\" and \"fill\"");
  if (d.dim() == 2) d.fault("kind", "\"height_field\" needs \"dim\": 3; its columns stand along y");
}

void describe_particles(Describe& d, ObjectSpec& o) {
  d.required("spacing", o.spacing, "m", above(0),
             "Distance of neighbouring particles at the start; a box, and what is cut from one by "
             "\"difference\", is filled by as many whole cells as come nearest to it.");
  d.one_or_many("fill", o.fill,
                "What the particles fill at the start; nothing where a stage emits them all. Those "
                "nearer to walls than half a spacing are moved off them, and before the first step "
                "all settle without gravity and velocity, so that nothing compressed flies apart.",
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
  refuse(d, {"bodies", "joints"}, "is for kind \"bodies\"");
  refuse(d, {"shape", "motion", "material"},
         "is for kind \"boundary\"; particles have \"fill\" and \"velocity\"");
  refuse(d, {"min", "max", "bed"}, "is for grids; particles have \"fill\"");
  refuse(d, {"mesh", "density", "vertex_mass"},
         "is for kind \"mesh\"; particles have \"fill\", and their stage a density");
}

void describe_mesh(Describe& d, ObjectSpec& o) {
  d.nested("mesh", o.mesh, "Its points and cells, at rest as at the start.");
  d("density", o.mass.density, "kg/m^k", above(0),
    "Of its cells: k is 3 for tetrahedra, 2 for triangles, 1 for lines; each gives its points "
    "equal shares. Default: from `vertex_mass` or `masses`.");
  d("vertex_mass", o.mass.vertex_mass, "kg", above(0),
    "Of every point alike. Default: from `density`.");
  d.vector("velocity", o.velocity, "m/s", "Of every point at the start.");
  if (d.given("density") && d.given("vertex_mass"))
    d.fault("vertex_mass", "give \"density\" or \"vertex_mass\", not both");
  refuse(d,
         {"spacing", "fill", "flow", "shape", "motion", "material", "min", "max", "bed", "bodies",
          "joints"},
         "is not for kind \"mesh\"; that has \"mesh\", \"density\" and \"velocity\"");
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

void describe_bodies(Describe& d, ObjectSpec& o) {
  d("density", o.bodies.density, "kg/m^D", above(0), "Of bodies that give no mass of their own.");
  d.list("bodies", o.bodies.list, "What there is.", "body", Need::required);
  if (d.given("bodies") && o.bodies.list.empty()) d.fault("bodies", "has none; give one or more");
  for (std::size_t i = 0; i < o.bodies.list.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!o.bodies.list[i].name.empty() && o.bodies.list[i].name == o.bodies.list[j].name)
        d.fault("bodies", fmt::format("{} and {} are both named \"{}\"; series need names of their "
                                      "own",
                                      j, i, o.bodies.list[i].name));
  describe_joints(d, o.bodies);
  refuse(d, {"material"}, "is for each of \"bodies\"; what all have in common is their stage's");
  refuse(d,
         {"spacing", "fill", "velocity", "flow", "shape", "motion", "min", "max", "bed", "mesh",
          "vertex_mass"},
         "is not for kind \"bodies\"; that has \"bodies\" and \"density\"");
}

void describe_boundary(Describe& d, ObjectSpec& o) {
  std::optional<ShapeSpec> shape;
  if (!o.shape.empty()) shape = o.shape.front();
  d.nested("shape", shape, "Its surface and inside.", "shape", Need::required);
  o.shape.clear();
  if (shape) o.shape.push_back(std::move(*shape));
  d.nested("motion", o.motion, "How it moves.", "motion");
  d.nested("material", o.material, "What is its own where rigid bodies touch it.");
  refuse(d,
         {"spacing", "fill", "velocity", "flow", "min", "max", "bed", "density", "vertex_mass",
          "bodies", "joints"},
         "is not for kind \"boundary\"; that has \"shape\" and \"motion\"");
}

}  // namespace

void describe(Describe& d, ObjectSpec& o) {
  d.required("name", o.name, "What stages, outputs and series call it: letters, digits, _ and -.");
  check_name(d, o.name);
  const bool known = d.choice("kind", o.kind, kinds, "What it is:", Need::required);
  if (!known)
    d.ignore_rest();
  else if (o.kind == Kind::particles)
    describe_particles(d, o);
  else if (o.kind == Kind::grid)
    describe_grid(d, o);
  else if (o.kind == Kind::height_field)
    describe_height_field(d, o);
  else if (o.kind == Kind::mesh)
    describe_mesh(d, o);
  else if (o.kind == Kind::bodies)
    describe_bodies(d, o);
  else
    describe_boundary(d, o);
}

}  // namespace rtsim
