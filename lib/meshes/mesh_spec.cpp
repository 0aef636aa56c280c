#include "meshes/mesh_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

namespace {

// "cells": so many whole numbers, each at least 1.
void check_cells(Describe& d, const std::vector<double>& cells, std::size_t axes) {
  if (!d.given("cells")) return;
  const bool whole =
      std::ranges::all_of(cells, [](double n) { return n >= 1 && n <= 1e5 && n == std::floor(n); });
  if (cells.size() != axes || !whole)
    d.fault("cells", fmt::format("must be {} whole numbers of at least 1", axes));
}

// Corners of cells, `each` of them one after the other.
void check_corners(Describe& d, const char* key, const std::vector<double>& corners,
                   std::size_t each, std::size_t points) {
  if (!d.given(key) || !d.given("positions")) return;
  if (corners.size() % each != 0)
    d.fault(key,
            fmt::format("has {} numbers, and every cell has {} corners", corners.size(), each));
  for (const double c : corners)
    if (!(c >= 0 && c < double(points) && c == std::floor(c)))
      return d.fault(key, fmt::format("{} is no point; they are 0 to {}", c, points - 1));
}

}  // namespace

static void describe(Describe& d, SurfaceFileSpec& s) {
  d.required("file", s.file,
             "OBJ, PLY or STL file, from the scene's folder. Corners at one position are one "
             "point; points of no triangle are left out.");
}

static void describe(Describe& d, CellFileSpec& s) {
  d.required("file", s.file,
             "Mesh of another mesher, from the scene's folder: Gmsh .msh (4.1, ASCII), VTK .vtk "
             "(legacy) or .vtu. Its tetrahedra of four or ten points, or if it has none its "
             "triangles of three or six; points of neither are left out. Flat and inverted "
             "tetrahedra are errors.");
}

static void describe(Describe& d, SheetSpec& s) {
  d.vector("corner", s.corner, "m", "Its first point.");
  d.vector("u", s.u, "m", "One side, from the corner.");
  d.vector("v", s.v, "m", "The other side.");
  d("cells", s.cells, "", any(), "Rectangles along u and along v, of two triangles each.");
  d("alternate", s.alternate,
    "The diagonals of neighbouring rectangles cross; otherwise they all go one way.");
  check_cells(d, s.cells, 2);
  if (norm(cross(s.u, s.v)) == 0) d.fault("v", "u and v must span an area");
}

static void describe(Describe& d, LineSpec& s) {
  d.required("from", s.from, "m", any(), "Its first point.");
  d.required("to", s.to, "m", any(), "Its last point.");
  d("segments", s.segments, "", between(1, 10'000'000), "Edges between them, equally long.");
  if (d.given("from") && d.given("to") && s.from == s.to)
    d.fault("to", "is where the line starts; it must have a length");
}

static void describe(Describe& d, BlockSpec& s) {
  d.required("min", s.min, "m", any(), "Lower corner.");
  d.required("max", s.max, "m", any(), "Upper corner.");
  d("cells", s.cells, "", any(), "Boxes along x, y and z, of five tetrahedra each.");
  check_cells(d, s.cells, 3);
  for (int a = 0; a < 3; ++a)
    if (d.given("min") && d.given("max") && !(s.min[a] < s.max[a]))
      return d.fault("max", fmt::format("must lie above min along {}", "xyz"[a]));
}

static void describe(Describe& d, SolidSpec& s) {
  std::optional<ShapeSpec> shape;
  if (!s.shape.empty()) shape = s.shape.front();
  d.nested("shape", shape, "What they fill.", "shape", Need::required);
  s.shape.clear();
  if (shape) s.shape.push_back(std::move(*shape));
  d.required("spacing", s.spacing, "m", above(0), "Side of the lattice's cells.");
  static constexpr Option methods[] = {
      {"cells", int(SolidSpec::Method::cells),
       "Cells of five tetrahedra each, kept where any part of them lies inside: the surface is one "
       "of steps. They weigh what of them lies inside."},
      {"stuffing", int(SolidSpec::Method::stuffing),
       "Isosurface stuffing: cells of twelve tetrahedra, cut at the surface, whose points lie on "
       "it. All dihedral angles are within 10.7 to 164.8 degrees. Edges and corners of the shape "
       "are cut off at the size of a cell, and what is thinner than one may be lost."},
      {"delaunay", int(SolidSpec::Method::delaunay),
       "Delaunay tetrahedra of points of the surface and of a lattice inside, those kept whose "
       "middle lies inside. Creases of boxes and mesh files stay sharp; nothing bounds the angles, "
       "and slivers may be among them."}};
  d.choice("method", s.method, methods, "How it is filled:");
  d("coarsest_spacing", s.coarsest_spacing, "m", above(0),
    "Of \"stuffing\": cells grow away from the surface, to twice their side with each one, up to "
    "this. The surface stays as it is, with half as many tetrahedra where tens of cells lie "
    "through. Default: all have the spacing.");
  if (s.coarsest_spacing && s.method != SolidSpec::Method::stuffing)
    d.fault("coarsest_spacing", "is of \"method\": \"stuffing\"");
  else if (s.coarsest_spacing && *s.coarsest_spacing < s.spacing)
    d.fault("coarsest_spacing", fmt::format("must not be below the spacing, {} m", s.spacing));
  d("largest_holes", s.largest_holes, "", between(0, 1),
    "Of methods other than \"cells\", which takes closed meshes only: share of a mesh file's area "
    "that holes in it may have in all. They are closed by triangles to their middles, doubled "
    "triangles left out, those that face the wrong way turned, and the log says so. Parts that "
    "overlap are one.");
}

static void describe(Describe& d, NodesSpec& s) {
  d.required("positions", s.positions, "m", any(), "The points.");
  d("edges", s.edges, "", any(), "Two points of each edge, one after the other, from 0.");
  d("triangles", s.triangles, "", any(), "Three points of each triangle, likewise.");
  d("tets", s.tets, "", any(), "Four points of each tetrahedron, likewise.");
  d("masses", s.masses, "kg", at_least(0), "Of each point; none: from the density.");
  check_corners(d, "edges", s.edges, 2, s.positions.size());
  check_corners(d, "triangles", s.triangles, 3, s.positions.size());
  check_corners(d, "tets", s.tets, 4, s.positions.size());
  if (!s.masses.empty() && s.masses.size() != s.positions.size())
    d.fault("masses",
            fmt::format("has {} numbers for {} points", s.masses.size(), s.positions.size()));
}

void describe(Describe& d, CellMeshSpec& s) {
  d.nested("surface", s.surface, "Triangles of a file.");
  d.nested("sheet", s.sheet, "A rectangle of triangles.");
  d.nested("line", s.line, "Points on a straight line: a chain or a rope.");
  d.nested("block", s.block, "A box of tetrahedra.");
  d.nested("solid", s.solid, "Tetrahedra that fill a closed shape.");
  d.nested("nodes", s.nodes, "Points and cells, one by one.");
  d.nested("cells", s.cells, "Tetrahedra, or triangles, of a file.");
  d.nested("transform", s.transform, "Where it is put.");
  d("order", s.order, "", between(1, 2),
    "2: elements with a point amid each edge, straight at rest, for the stage \"fem\". Other "
    "stages "
    "see the eight tetrahedra, or four triangles, between the points of each. Default: that of a "
    "file's elements, otherwise 1.");
  const bool forms[] = {s.surface.has_value(), s.sheet.has_value(), s.line.has_value(),
                        s.block.has_value(),   s.solid.has_value(), s.nodes.has_value(),
                        s.cells.has_value()};
  if (std::ranges::count(forms, true) != 1)
    d.fault("",
            "give one of \"surface\", \"sheet\", \"line\", \"block\", \"solid\", \"nodes\" and "
            "\"cells\"");
  if (s.order == 2 && s.line)
    d.fault("order", "must be 1 of a \"line\": elements are tetrahedra or triangles");
  if (s.order == 2 && s.nodes && !s.nodes->masses.empty())
    d.fault("order", "2 makes points that the \"masses\" do not know; give a \"density\"");
}

double estimate_points(const CellMeshSpec& s) {
  const auto product = [](const std::vector<double>& cells) {
    double n = 1;
    for (const double c : cells) n *= c + 1;
    return n;
  };
  const bool quadratic = s.order == 2;
  const auto finer = [](std::vector<double> cells) {
    for (double& n : cells) n *= 2;
    return cells;
  };
  if (s.sheet) return product(quadratic ? finer(s.sheet->cells) : s.sheet->cells);
  if (s.line) return s.line->segments + 1.0;
  // The five tetrahedra of a box have no edge through its middle.
  if (s.block && quadratic)
    return product(finer(s.block->cells)) -
           s.block->cells[0] * s.block->cells[1] * s.block->cells[2];
  if (s.block) return product(s.block->cells);
  if (s.surface || s.cells || (s.nodes && quadratic)) return double(make_cells(s).points.size());
  if (s.nodes) return double(s.nodes->positions.size());
  const Bounds b = make_shape(s.solid->shape.front(), 3)->bounds();
  double n = 1;
  for (int a = 0; a < 3; ++a) n *= (b.max[a] - b.min[a]) / s.solid->spacing + 2;
  if (quadratic) n *= 7;
  return s.solid->method == SolidSpec::Method::cells ? n : 2 * n;  // centres beside corners
}

}  // namespace rtsim
