#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "meshes/cell_mesh.h"

namespace rtsim {

// What a file says, in its own order and not yet checked.
struct FileCells {
  std::vector<Vec3d> points;  // [m]
  std::vector<CellMesh::Triangle> triangles;
  std::vector<CellMesh::Tet> tets;
  bool second_order = false;  // of cells that have points amid their edges
  double bent = 0;            // [m] how far at most such a point is off the middle of its edge
  std::vector<std::int32_t> triangle_tags, tet_tags;  // of their regions; none where there are none
  std::vector<std::string> triangle_places, tet_places;  // "line 12" or "cell 12" of each, from 1
};

// Notes a cell of second order by its corners and the points between those of `pairs`.
void add_second_order(FileCells&, const CellMesh::Corner* nodes, int corners,
                      const int (*pairs)[2]);

FileCells read_msh(std::string_view text, const std::string& name);
FileCells read_vtk(std::string_view text, const std::string& name);
FileCells read_vtu(std::string_view text, const std::string& name);

// VTK's cells: `ends[c]` is where the corners of cell c end in `corners`; `tags`: of each, or none.
struct VtkCells {
  std::vector<std::int64_t> corners, ends, types, tags;
};
// Takes them. Throws for cells that cannot be taken and corners that do not exist.
void add_vtk_cells(FileCells&, const VtkCells&, const std::string& name);

}  // namespace rtsim
