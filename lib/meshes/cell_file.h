#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "meshes/cell_mesh.h"

namespace rtsim {

// Tets of other meshers, or where a file has none its triangles: Gmsh .msh (4.1, ASCII), and VTK's
// unstructured grids, legacy .vtk (ASCII and binary) and .vtu (ASCII and binary, inline or
// appended, with zlib or not). Cells of fewer corners are left out, those of more refused; of cells
// of second order the corners are taken, and the mesh says that it has such. Throws
// Error{bad_input} that says file, line or cell, and remedy: what is malformed, and tets that are
// flat or inverted, with their volume. A mesh of which all tets are inverted is mirrored in their
// order, and taken.
CellMesh read_cells(const std::filesystem::path&);
CellMesh read_cells(std::string_view text, std::string_view extension, const std::string& name);

}  // namespace rtsim
