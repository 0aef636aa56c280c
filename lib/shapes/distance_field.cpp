#include "shapes/distance_field.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rtsim {

namespace {

class Filler {
 public:
  Filler(const Shape& shape, const GridShape& grid, double band)
      : shape_(shape), grid_(grid), band_(band), values_(std::size_t(grid.rows())) {
    fill({0, 0, 0}, {grid.cells[0], grid.cells[1], grid.cells[2]});
  }
  std::vector<Real> take() { return std::move(values_); }

 private:
  using Cell = std::array<Index, 3>;

  void fill(const Cell& low, const Cell& high) {
    Vec3d middle = grid_.low;
    double r2 = 0;
    std::size_t axis = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double half = 0.5 * (high[a] - low[a] - 1) * grid_.spacing;
      if (grid_.spans[a])
        middle[int(a)] += (low[a] + 0.5) * grid_.spacing + half, r2 += half * half;
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    }
    const double d = shape_.distance(middle);
    if (r2 == 0 || std::abs(d) > band_ + std::sqrt(r2))
      return set(low, high, Real(std::clamp(d, -band_, band_)));
    Cell left = high, right = low;
    left[axis] = right[axis] = (low[axis] + high[axis]) / 2;
    fill(low, left), fill(right, high);
  }

  void set(const Cell& low, const Cell& high, Real d) {
    for (Index k = low[2]; k < high[2]; ++k)
      for (Index j = low[1]; j < high[1]; ++j)
        for (Index i = low[0]; i < high[0]; ++i) values_[std::size_t(grid_.row(i, j, k))] = d;
  }

  const Shape& shape_;
  const GridShape grid_;
  const double band_;
  std::vector<Real> values_;
};

}  // namespace

std::vector<Real> distance_field(const Shape& shape, const GridShape& grid, double band) {
  return Filler(shape, grid, band).take();
}

}  // namespace rtsim
