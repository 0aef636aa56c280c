#pragma once
#include <array>
#include <vector>

#include "meshes/add_mesh.h"

namespace rtsim {

// A triangle p0 p1 p2, the points o_i of its neighbours over the sides i opposite p_i, and those of
// the triangles beyond, a_i over p_(i+1) o_i and b_i over o_i p_(i+2): p0 p1 p2 o0 o1 o2 a0 b0 a1
// b1 a2 b2, each -1 where there is none. Hinges are the three sides, then those of a0 b0 a1 b1 a2
// b2.
struct PlatePatch {
  std::array<CellMesh::Corner, 12> points;

  static constexpr int hinges = 9;
  // Of a hinge the ends of its edge and the points opposite, among `points`.
  static constexpr std::array<std::array<int, 4>, hinges> corners{{{1, 2, 0, 3},
                                                                   {2, 0, 1, 4},
                                                                   {0, 1, 2, 5},
                                                                   {1, 3, 2, 6},
                                                                   {3, 2, 1, 7},
                                                                   {2, 4, 0, 8},
                                                                   {4, 0, 2, 9},
                                                                   {0, 5, 1, 10},
                                                                   {5, 1, 0, 11}}};
  bool has(int hinge) const;
};

// The energy of bending of a triangle, B/2 sum_j |sum_f rows[j][f] s_f|^2, of the bends s_f = l
// theta [m] of edges of length l. A plate of curvatures H (3 numbers) has B/2 |H|^2 an area, and
//   H = 1/A sum_i sigma_i n_i n_i^T
// in a triangle of area A, of the outward normals n_i of its sides and sigma_i = l_i phi_i, by the
// angles phi_i between the triangle and the surface at the middles of the sides (Morley, "The
// Triangular Equilibrium Element in the Solution of Plate Bending Problems", Aeronautical Quarterly
// 1968; Grinspun, Gingold, Reisman & Zorin, "Computing Discrete Shape Operators on General Meshes",
// Eurographics 2006). Two triangles share an angle: phi + phi' = theta. Half each is right where
// both are mirror images through the middle of the side, as in rows of equal triangles; elsewhere
// we add to one and take from the other what makes the split exact for every surface of constant
// curvature, a sum of the five bends in both triangles, of least squares. So such a surface has the
// exact energy whatever the triangles are, and, as sigma and sigma' sum to s, no force within.
// Sides without a neighbour are free: their sigma is what makes the energy least.
struct PlateStencil {
  PlatePatch patch;
  std::array<std::array<double, PlatePatch::hinges>, 3> rows{};
  bool wide() const;  // whether hinges of other triangles count
};

// Of every triangle that has a hinge and is higher than a thousandth of its longest side; lower
// ones bend freely, and are no neighbours to others. In a lattice, of equal triangles each the
// mirror image of its neighbours, those of every other triangle say all: they get the bends and
// areas of the triangles between.
std::vector<PlateStencil> plate_stencils(const std::vector<Vec3d>& points,
                                         const std::vector<CellMesh::Triangle>&);

// s = sum_k c_k x_k of a hinge x0 x1 with the points x2, x3 opposite, for small bends (Bergou,
// Wardetzky, Harmon, Zorin & Grinspun, "A Quadratic Bending Model for Inextensible Surfaces", SGP
// 2006, eq. 3, of the other sign): positive where x2 and x3 lie above.
std::array<double, 4> hinge_weights(const std::array<Vec3d, 4>& x);

}  // namespace rtsim
