#pragma once
#include "meshes/cell_mesh.h"
#include "shapes/shape.h"

namespace rtsim {

// A rectangle of triangles.
struct SheetSpec {
  Vec3d corner, u{{1, 0, 0}}, v{{0, 0, 1}};  // [m]
  std::vector<double> cells{10, 10};         // along u and v
  bool alternate = true;                     // the diagonal of every other cell goes the other way
};
// A chain, a rope: points on a straight line.
struct LineSpec {
  Vec3d from, to;  // [m]
  int segments = 1;
};
// A box of tets, five a cell.
struct BlockSpec {
  Vec3d min, max;  // [m]
  std::vector<double> cells{1, 1, 1};
};
// Tets that fill a closed shape.
struct SolidSpec {
  enum class Method { cells, stuffing, delaunay };

  std::vector<ShapeSpec> shape;  // exactly one
  double spacing = 0;            // [m]
  Method method = Method::cells;
  std::optional<double> coarsest_spacing = {};  // [m] of stuffing; none: spacing
  double largest_holes = 0.05;                  // of the surface's area, that are closed
};
// Points and cells, one by one.
struct NodesSpec {
  std::vector<Vec3d> positions;                // [m]
  std::vector<double> edges, triangles, tets;  // corners of one after the other, from 0
  std::vector<double> masses;                  // [kg], of each point, or none
};
// Tets of a file, or its triangles.
struct CellFileSpec {
  FileName file;
};
// Triangles of a file.
struct SurfaceFileSpec {
  FileName file;
};

// What a mesh consists of at the start and at rest: exactly one of these, then placed.
struct CellMeshSpec {
  std::optional<SurfaceFileSpec> surface;
  std::optional<SheetSpec> sheet;
  std::optional<LineSpec> line;
  std::optional<BlockSpec> block;
  std::optional<SolidSpec> solid;
  std::optional<NodesSpec> nodes;
  std::optional<CellFileSpec> cells;
  TransformSpec transform;
  std::optional<int> order;  // of the elements; none: that of a file, or 1

  // Whether it was not said of how many tets it consists.
  bool is_filled() const { return solid || cells; }
  bool is_of_file() const {
    return surface || cells ||
           (solid && !solid->shape.empty() &&
            (solid->shape.front().mesh || solid->shape.front().volume));
  }
};

void describe(Describe&, CellMeshSpec&);

// Throws Error{bad_input} for a file that is missing or broken, corners that do not exist, cells
// without length, area or volume or that are there twice, and a mesh without cells.
CellMesh make_cells(const CellMeshSpec&);

// So many points, without making them, but for those of a file. Throws for that as make_cells does.
double estimate_points(const CellMeshSpec&);

}  // namespace rtsim
