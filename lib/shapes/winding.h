#pragma once
#include <vector>

#include "shapes/triangle_tree.h"

namespace rtsim {

// How often a surface goes round a place: the solid angle of its triangles over 4 pi (A. Jacobson,
// L. Kavan & O. Sorkine-Hornung, "Robust Inside-Outside Segmentation Using Generalized Winding
// Numbers", ACM Transactions on Graphics 32(4), 2013). Of a closed surface that faces outwards it
// is 1 inside and 0 outside, 2 where two such overlap; of one with holes it is in between near
// them. Triangles far away count as one dipole (G. Barill, N. G. Dickson, R. Schmidt, D. I. W.
// Levin & A. Jacobson, "Fast Winding Numbers for Soups and Clouds", ACM Transactions on Graphics
// 37(4), 2018), which is off by some 1e-2.
class WindingNumbers {
 public:
  explicit WindingNumbers(const TriangleTree&);  // which must live as long

  double at(const Vec3d& x) const;

 private:
  struct Dipole {
    Vec3d centre, area;  // [m], [m^2] along the normal
    double reach;        // [m] of its triangles from the centre
  };

  const TriangleTree& tree_;
  std::vector<Dipole> dipoles_;  // of the tree's nodes
};

// The part of one triangle, exactly.
double winding_of_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& x);

}  // namespace rtsim
