#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "meshes/cell_file.h"
#include "shapes/mesh_file.h"

namespace {

template <class Cells, class Points>
void check_corners(const Cells& cells, const Points& points) {
  for (const auto& c : cells)
    for (const std::int32_t v : c)
      if (v < 0 || std::size_t(v) >= points.size()) __builtin_trap();
}

}  // namespace

// The first byte chooses the format; the rest is the file. Any text must give a mesh whose indices
// hold, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* extensions[] = {".obj", ".ply", ".stl", ".msh", ".vtk", ".vtu"};
  const int format = data[0] % 6;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (format < 3) {
      const rtsim::TriangleMesh mesh = rtsim::read_mesh(text, extensions[format], "fuzz");
      rtsim::open_edges(mesh);
      check_corners(mesh.triangles, mesh.vertices);
    } else {
      const rtsim::CellMesh mesh = rtsim::read_cells(text, extensions[format], "fuzz");
      check_corners(mesh.triangles, mesh.points);
      check_corners(mesh.tets, mesh.points);
    }
  } catch (const rtsim::Error&) {
  }
  return 0;
}
