#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/vec.h"

namespace rtsim {

// Points and the cells that join them, on the host, in double. `add_mesh` makes tables of it.
struct CellMesh {
  using Corner = std::int32_t;
  using Edge = std::array<Corner, 2>;
  using Triangle = std::array<Corner, 3>;
  using Tet = std::array<Corner, 4>;
  // Elements of second order: corners, then the points amid their edges, 01, 02, 03, 12, 13, 23 and
  // 01, 02, 12.
  using TenNodes = std::array<Corner, 10>;
  using SixNodes = std::array<Corner, 6>;

  std::vector<Vec3d> points;  // [m]
  std::vector<Edge> edges;    // lines between points; those of triangles and tets are added later
  std::vector<Triangle> triangles;
  std::vector<Tet> tets;       // of positive volume: (x1 - x0) x (x2 - x0) . (x3 - x0) > 0
  std::vector<double> mass;    // [kg] of points, where they were given
  std::vector<double> volume;  // [m^3] that each weighs, where cells are not full; else none
  Corner sheet[2] = {0, 0};    // points along u and v of a sheet; point (i, j) is i + sheet[0] j
  double shape_volume = 0;     // [m^3] of the shape that the tets fill, where there is one
  std::vector<std::string> notes;   // what was mended of that
  std::vector<std::int32_t> tags;   // of the regions of a file that its tets or triangles are in
  bool second_order = false;        // a file has such elements; they are made of the cells later
  std::vector<TenNodes> ten_nodes;  // whose parts the tets are, see make_quadratic
  std::vector<SixNodes> six_nodes;  // whose parts the triangles are
};

double length_of(const CellMesh&, const CellMesh::Edge&);    // [m]
double area_of(const CellMesh&, const CellMesh::Triangle&);  // [m^2]
double volume_of(const CellMesh&, const CellMesh::Tet&);     // [m^3], signed

// Every edge of the lines, triangles and tets once, the lower end first, in order of its ends.
std::vector<CellMesh::Edge> all_edges(const CellMesh&);

// The faces that belong to one tet only, seen counterclockwise from outside, in order of the tets.
std::vector<CellMesh::Triangle> boundary_of(const std::vector<CellMesh::Tet>&);

}  // namespace rtsim
