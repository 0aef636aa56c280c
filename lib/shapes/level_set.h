#pragma once
#include <optional>
#include <string>

#include "shapes/mesh_file.h"

namespace rtsim {

struct VolumeSpec;

// The surface of a volume of a .vdb file as triangles around the inside, by dual contouring, its
// grid's own transform included [m]; welded. Throws Error{bad_input} with the file's name where
// there is none: missing, cut off, no such grid, nowhere zero.
TriangleMesh read_level_set(const VolumeSpec&);

// What lib/volumes exports. An empty `grid`: the only one that can be meant. With `least` the
// surface is that of a density, which is solid where it is above.
struct VolumeReader {
  TriangleMesh (*read)(const std::string& file, const std::string& grid,
                       std::optional<double> least);
};

}  // namespace rtsim
