#pragma once
#include <vector>

#include "meshes/cell_mesh.h"
#include "shapes/shape.h"

namespace rtsim {

// The Delaunay tets of points, of positive volume: no point lies inside the sphere through a tet's
// corners, and together they fill the points' hull. From the hull of the points lifted onto a
// paraboloid (C. B. Barber, D. P. Dobkin & H. Huhdanpaa, "The quickhull algorithm for convex
// hulls", ACM Transactions on Mathematical Software 22(4), 1996), with weights of 1e-9 of their
// size squared that decide where many are on one sphere: none is flat, and neighbours share whole
// faces. Throws Error{bad_input} for points that span no volume.
std::vector<CellMesh::Tet> delaunay(const std::vector<Vec3d>& points);

// Those of points inside a shape and on its surface, without the tets whose middle lies outside.
// Inner points are a body-centred cubic lattice whose cubes have the side `spacing` [m]; `corners`
// are points of the surface that are taken first. Points of the surface are about 0.6 spacings
// apart or farther. Tets that lie flat on the surface are left out; while there are flat ones
// inside they lose a point and all are made anew. Slivers may stay, as nothing
// bounds their angles.
CellMesh fill_delaunay(const Shape&, double spacing, const std::vector<Vec3d>& corners);

// [m] Corners and creases of over 30 degrees of boxes and mesh files, points at most `spacing`
// apart; none of other shapes, nor of combinations.
std::vector<Vec3d> creases_of(const ShapeSpec&, double spacing);

}  // namespace rtsim
