#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.h"

namespace rtsim {

// Points sorted into cubic cells, for finding neighbours within a cell's side. The order is that of
// cells, then of the points as given, whatever the machine.
class PointCells {
 public:
  struct Run {
    std::size_t begin, end;  // of points()
  };

  PointCells(const std::vector<Vec3d>& points, double side);

  const std::vector<Vec3d>& points() const { return points_; }
  std::size_t cells() const { return cells_.size(); }
  Run points_of(std::size_t cell) const { return {first_[cell], first_[cell + 1]}; }
  // Where the points of this cell and of the 26 around it lie: at most nine runs.
  std::vector<Run> around(std::size_t cell) const;

 private:
  using Cell = std::array<std::int32_t, 3>;  // z, y, x: cells of a row lie side by side

  std::vector<Vec3d> points_;
  std::vector<Cell> cells_;         // those that are not empty, ascending
  std::vector<std::size_t> first_;  // point of each cell, and the number of points
};

}  // namespace rtsim
