#pragma once
#include <vector>

#include "contact/box_tree.h"
#include "mac/mac.h"

// What surfaces that deform close of the faces of a staggered grid, and which of their points move
// it: sheets, which have fluid on both sides, and the surfaces of solids.
namespace rtsim::mac {

// Where a line along an axis goes through a triangle. The lines of a grid stand `lines` a side of
// each column of cells, an odd number, so that one is in its middle.
struct SheetCrossing {
  Index axis, column;  // the row of the column's first cell
  double place;        // [cells] from the middle of that cell
  contact::Corners3 corners;
  Real weight[3];
  bool middle;  // of the column
  bool up;      // the triangle's normal points up the axis
};

// Ordered by axes and columns. Triangles that have an edge in common leave no gap between them.
// `first`: the lower corner of the grid [m].
std::vector<SheetCrossing> sheet_crossings(const Exec&, const Domain&, const double (&first)[3],
                                           Span<const Vec<3>> position,
                                           Span<const contact::Corners3> triangles, int lines);

// A face that a solid closes, or a part of it, and the point of its surface that is nearest to one
// of `lines` x `lines` places on the face.
struct SolidFace {
  Index axis, row;  // of the faces
  Index low, high;  // the cells below and above; -1: none, or none with an open face
  Real share;       // that the solid closes
  contact::Corners3 corners;
  Real weight[3];
};

// Of the faces that solid `which` of the nodes closes beside an open cell; those of a face one
// after the other.
std::vector<SolidFace> solid_faces(const Exec&, const Domain&, const Walls&, const SolidNodes&,
                                   int which, const contact::SurfaceMesh& surface, int lines);

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
