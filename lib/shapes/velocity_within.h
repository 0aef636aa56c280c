#pragma once
#include <vector>

#include "shapes/triangle_tree.h"

namespace rtsim {

// Of each corner twice the area of its triangles: a share of the surface's.
std::vector<double> shares_of_area(const TriangleMesh&);

// v(x) = velocity + gradient (x - centre)
struct LinearVelocity {
  Vec3d centre;       // [m]
  Vec3d velocity;     // [m/s]
  Vec3d gradient[3];  // [1/s], by rows

  Vec3d at(const Vec3d& x) const;
};

// The velocity in and on a mesh whose corners have velocities: the one linear in the place that is
// nearest to them by least squares, each corner with its share of the area, and what the nearest
// point of the surface has besides. So it is exact within whatever is shifted, turned, swollen or
// sheared as a whole, and on the surface of all else.
class VelocityWithin {
 public:
  VelocityWithin(TriangleMesh, std::vector<Vec3d> of_corners);

  Vec3d at(const Vec3d& x) const;
  const LinearVelocity& linear() const { return linear_; }

 private:
  TriangleTree tree_;
  LinearVelocity linear_;
  std::vector<Vec3d> besides_;  // [m/s] of the corners
};

}  // namespace rtsim
