#pragma once
#include <openvdb/openvdb.h>

#include <vector>

#include "cache/surface_params.h"
#include "shapes/mesh_file.h"

// Surface reconstruction: surfaces of particles on OpenVDB grids. Positions and the spacing are in
// voxels; voxel (i, j, k) is centred on (i, j, k). A signed field is negative inside and zero on
// the surface; elsewhere only its sign counts. Only .cpp files include this.
namespace rtsim {

openvdb::FloatGrid::Ptr signed_field(const std::vector<openvdb::Vec3d>& x, double spacing,
                                     const SurfaceParams&);

// phi(v) = |v - xbar| - R with xbar the weighted mean of the particles near v: Zhu & Bridson,
// "Animating sand as a fluid", SIGGRAPH 2005, eqs. 5-8.
openvdb::FloatGrid::Ptr averaged_field(const std::vector<openvdb::Vec3d>& x, double spacing);

// phi(v) = c - sum_i W_i(v) with the kernels of anisotropy.h and a constant c.
openvdb::FloatGrid::Ptr ellipsoid_field(const std::vector<openvdb::Vec3d>& x, double spacing,
                                        double smoothing);

// Signed distances [m] in a band of three voxels either way; `voxel` is in metres.
openvdb::FloatGrid::Ptr level_set(const openvdb::FloatGrid& field, double voxel);

// Triangles [m] around the inside (OpenVDB's dual contouring, in place of marching cubes),
// counterclockwise as seen from outside; closed.
TriangleMesh surface_mesh(const openvdb::FloatGrid& field, double voxel);

// The same where a field has a value, whose voxels all have the side `voxel`, whatever its own
// transform; turned round where the inside has the larger values.
TriangleMesh contour(const openvdb::FloatGrid& field, double value, double voxel);

}  // namespace rtsim
