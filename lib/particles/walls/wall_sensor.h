#pragma once
#include <string>
#include <vector>

#include "sph/probe.h"
#include "world/world.h"

namespace rtsim {

// What a pressure gauge set into a wall that stands still reads: the normal force on the samples
// near a point, over the area of wall it acts on. Walls get the momentum that the fluid lost, so
// this holds however rows at walls share pressure among them; the gauge sees no rows at all.
//
//   p = -sum_b w(s_b) F_b . n / integral of w(s) over the wall
//
// n: normal into the fluid; s: distance along the wall; w: a cubic spline that ends at the radius.
// The sum is over the samples that lie behind the wall: those in an edge behind another wall bear
// what is pressed into the edge, and those of a solid's other side what is there.
template <int D>
class WallSensor {
 public:
  // Throws Error{bad_input} where there is no wall at `at` or its surface has no side.
  WallSensor(World&, const std::string& fluid, const std::vector<std::string>& boundaries,
             const Vec3d& at, double radius, double spacing);

  // From the forces in the samples' columns [N/m^(D-1)].
  double pressure(World&) const;

 private:
  struct Samples {
    std::string table;
    Buffer<Real> weight;
  };
  std::vector<Samples> samples_;
  Vec<D> normal_;
  double area_ = 0;  // weighted [m^(D-1)]
};

}  // namespace rtsim
