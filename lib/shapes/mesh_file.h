#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/vec.h"

namespace rtsim {

struct TriangleMesh {
  std::vector<Vec3d> vertices;
  std::vector<std::array<std::int32_t, 3>> triangles;
};

// OBJ, PLY (ASCII and binary) and STL (ASCII and binary), by extension. Faces of more corners are
// cut into triangles; STL's doubled vertices are merged. Throws Error{bad_input} that says file,
// line (or byte) and remedy: missing, empty, an index out of range, a vertex that is not finite.
TriangleMesh read_mesh(const std::filesystem::path&);
TriangleMesh read_mesh(std::string_view text, std::string_view extension, const std::string& name);

// How many edges do not join their triangles in pairs of matching orientation (as often from one
// end as from the other): 0 for a closed mesh.
std::size_t open_edges(const TriangleMesh&);

// "12 edges do not join two triangles each, one of them from (0, 0, 1) to (0, 1, 1)"
std::string tell_open_edges(const TriangleMesh&);

}  // namespace rtsim
