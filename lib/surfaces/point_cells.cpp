#include "surfaces/point_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rtsim {

PointCells::PointCells(const std::vector<Vec3d>& points, double side) {
  std::vector<Cell> cell_of(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < 3; ++a)
      cell_of[i][std::size_t(2 - a)] = std::int32_t(std::floor(points[i][a] / side));
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cell_of[i]; });

  points_.reserve(points.size());
  for (const std::size_t i : order) {
    if (cells_.empty() || cells_.back() != cell_of[i]) {
      cells_.push_back(cell_of[i]);
      first_.push_back(points_.size());
    }
    points_.push_back(points[i]);
  }
  first_.push_back(points_.size());
}

std::vector<PointCells::Run> PointCells::around(std::size_t cell) const {
  const auto [z, y, x] = cells_[cell];
  std::vector<Run> runs;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) {
      const auto from = std::ranges::lower_bound(cells_, Cell{z + dz, y + dy, x - 1});
      const auto to = std::upper_bound(from, cells_.end(), Cell{z + dz, y + dy, x + 1});
      const Run run{first_[std::size_t(from - cells_.begin())],
                    first_[std::size_t(to - cells_.begin())]};
      if (run.begin < run.end) runs.push_back(run);
    }
  return runs;
}

}  // namespace rtsim
