#pragma once
#include <string>

#include "shapes/mesh_file.h"

namespace rtsim {

// Whole files, equal for equal meshes. `comment` is one line of ASCII. Coordinates are written as
// 32-bit reals: in OBJ as the shortest decimals that read back the same.
std::string obj_text(const TriangleMesh&, const std::string& comment);
std::string ply_bytes(const TriangleMesh&, const std::string& comment);  // binary, little-endian
std::string stl_bytes(const TriangleMesh&, const std::string& comment);  // binary, unit normals

}  // namespace rtsim
