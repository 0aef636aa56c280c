#pragma once
#include <array>

#include "cache/frame_writer.h"
#include "shapes/mesh_file.h"

namespace rtsim {

// The triangles that the cells of a mesh show: themselves, or of tetrahedra the faces that belong
// to one alone, counterclockwise as seen from outside.
std::vector<std::array<std::int32_t, 3>> visible_faces(const FrameCells&);

// What a mesh, bodies or a height field show, with all of their points in their order [m].
TriangleMesh shown_triangles(const FrameObject&);

// A surface as one of the files that its output asks for: "ply", "obj" or "stl".
void write_triangles(const Frame&, const FrameObject&, const TriangleMesh&, const std::string& file,
                     const SurfaceSink&);

}  // namespace rtsim
