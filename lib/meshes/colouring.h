#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace rtsim {

// Cells in classes of which no two of one class share a point, so that a class may be worked on all
// at once, writing to its points, and the classes one after the other.
struct Colouring {
  std::vector<Index> order;  // cells, sorted by colour, each colour's in their own order
  std::vector<Index> first;  // of each colour in `order`, and one more
};

// Greedy: each cell in its turn takes the lowest colour that no cell before it has at its points.
// `corners` has `each` points for every cell, one cell after the other.
Colouring colour(std::size_t points, const std::vector<std::int32_t>& corners, std::size_t each);

template <std::size_t N>
Colouring colour(std::size_t points, const std::vector<std::array<std::int32_t, N>>& cells) {
  std::vector<std::int32_t> corners;
  corners.reserve(N * cells.size());
  for (const auto& c : cells) corners.insert(corners.end(), c.begin(), c.end());
  return colour(points, corners, N);
}

}  // namespace rtsim
