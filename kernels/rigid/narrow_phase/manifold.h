#pragma once
#include <cstdint>

#include "rigid/body.h"

namespace rtsim::rigid {

// Where two bodies touch, or will within the step: points in one plane with one normal. Bodies are
// rows of their table; behind them come the boundaries, in the stage's order.
template <int D>
struct Manifold {
  static constexpr int most_points = D == 2 ? 2 : 4;

  Index a, b;                          // a < b
  std::uint32_t part_a, part_b;        // of a's and b's shape; of a mesh the triangle
  Vec<D> normal;                       // from a to b
  std::int32_t points;                 // 1 to most_points
  Vec<D> arm_a[most_points];           // [m] from a's centre of mass to the contact, world axes
  Vec<D> arm_b[most_points];           // [m] likewise of b; of a boundary from its pose's centre
  Real separation[most_points];        // [m], negative where they overlap
  std::uint32_t feature[most_points];  // the same from step to step while the same corners touch
};

}  // namespace rtsim::rigid
