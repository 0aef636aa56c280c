#pragma once
#include <vector>

#include "contact/box_tree.h"
#include "mac/mac.h"

// What surfaces that deform close of the faces of a staggered grid, and which of their corners move
// it: sheets, which have fluid on both sides, and the surfaces of solids.
namespace rtsim::mac {

// The part `share` of a face that moves with a triangle, along the face's axis with
//   u = sum_k weight_k u_k, over the triangle's corners.
struct SurfaceFace {
  Index axis, row;  // of the faces
  Index low, high;  // the cells below and above; -1: none, or none with an open face
  contact::Corners3 corners;
  Real weight[3];
  Real share;
  // Of a sheet: where it crosses the way from the middle of the low cell to that of the high one,
  // 0 to 1, and whether its normal points up the axis. Of a solid without meaning.
  Real way;
  bool up;
};

// Faces between two cells whose middles a sheet parts, one for each crossing of a triangle with the
// line between them (Robinson-Mosher, Shinar, Gretarsson, Su & Fedkiw, "Two-way Coupling of Fluids
// to Rigid and Deformable Solids and Shells", SIGGRAPH 2008), share 1 each. Triangles that have an
// edge in common leave no gap between them. Sides of the domain are left out. `first`: the lower
// corner of the grid [m].
std::vector<SurfaceFace> sheet_faces(const Exec&, const Domain&, const double (&first)[3],
                                     Span<const Vec<3>> position,
                                     Span<const contact::Corners3> triangles);

// Faces that solid `which` of the nodes closes, or parts of them, beside an open cell: they move
// with the nearest point of its surface.
std::vector<SurfaceFace> solid_faces(const Exec&, const Domain&, const Walls&, const SolidNodes&,
                                     int which, const contact::SurfaceMesh& surface);

// A value of single faces.
struct FaceValue {
  Index axis, row;
  Real value;
};
void read_faces(const Exec&, const Span<const Real> (&from)[3], Span<FaceValue>);
// Both ends of a periodic axis.
void write_faces(const Exec&, const Domain&, Span<const FaceValue>, const Span<Real> (&to)[3]);

// to[c] of these cells, in rising order = the mean of the cells beside them that an open face leads
// to, but for those that are among them; where there are none it stays.
void take_from_beside(const Exec&, const Domain&, const Walls&, Span<const Index> cells,
                      Span<Real> to);

}  // namespace rtsim::mac
