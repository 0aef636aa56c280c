#pragma once
#include <cstdint>

#include "lanes/row4.h"
#include "rigid/body.h"

namespace rtsim::rigid {

// Where two bodies touch, or will within the step: points in one plane with one normal. Bodies are
// rows of their table; behind them come the boundaries, in the stage's order. In whole rows of four
// numbers, so that eight are loaded by transposes.
template <int D>
struct alignas(Row4) Manifold {
  static constexpr int most_points = D == 2 ? 2 : 4;
  static constexpr Index arm_rows = D * most_points / 4;  // of one body's arms
  static constexpr Index normal_row = 1, first_arm_row = 2;
  static constexpr Index separation_row = first_arm_row + 2 * arm_rows;

  Index a, b;                                  // a < b
  std::uint32_t part_a, part_b;                // of a's and b's shape; of a mesh the triangle
  alignas(Row4) Vec<D> normal;                 // from a to b
  std::int32_t points;                         // 1 to most_points
  alignas(Row4) Vec<D> arm_a[most_points];     // [m] from a's centre of mass to the contact, in
                                               // the world's axes
  alignas(Row4) Vec<D> arm_b[most_points];     // [m] likewise of b; of a boundary from its pose's
                                               // centre
  alignas(Row4) Real separation[most_points];  // [m], negative where they overlap
  std::uint32_t feature[most_points];  // the same from step to step while the same corners touch
};
template <int D>
constexpr Index manifold_rows = Index(sizeof(Manifold<D>) / sizeof(Row4));

}  // namespace rtsim::rigid
