#pragma once
#include <vector>

#include "shapes/mesh_file.h"

namespace rtsim {

// How corners of a surface move, of which it is seen only how far they go along their normals: the
// motion u(x) = a + B x that explains these best by least squares, each corner with its share of
// the area, and along the normals what is missing. Of what no normal shows, as the turning of a
// ball, there is none.
std::vector<Vec3d> motion_of_surface(const TriangleMesh&, const std::vector<Vec3d>& normals,
                                     const std::vector<double>& along);

}  // namespace rtsim
