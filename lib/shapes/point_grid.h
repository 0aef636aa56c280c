#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/vec.h"

namespace rtsim {

// A growing set of points that answers "is one nearer than r?", best for r about the cell size: a
// hash table (linear probing) from grid cells to chains of their points.
class PointGrid {
 public:
  explicit PointGrid(double cell) : inv_cell_(1 / cell), slots_(1024) {}

  void add(const Vec3d& x) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    const std::uint64_t k = key(index(x[0]), index(x[1]), index(x[2]));
    Slot& slot = slots_[slot_of(k)];
    if (slot.first < 0) ++used_;
    next_.push_back(slot.first);
    slot = {k, int(points_.size())};
    points_.push_back(x);
  }

  bool any_within(const Vec3d& x, double r) const {
    if (r <= 0) return false;
    if (cell_has(key(index(x[0]), index(x[1]), index(x[2])), x, r * r)) return true;
    for (std::int64_t k = index(x[2] - r); k <= index(x[2] + r); ++k)
      for (std::int64_t j = index(x[1] - r); j <= index(x[1] + r); ++j)
        for (std::int64_t i = index(x[0] - r); i <= index(x[0] + r); ++i)
          if (cell_has(key(i, j, k), x, r * r)) return true;
    return false;
  }

  // The first added of the nearest points that are nearer than r, or -1.
  int nearest_within(const Vec3d& x, double r) const {
    int nearest = -1;
    double least2 = r * r;
    for (std::int64_t k = index(x[2] - r); k <= index(x[2] + r); ++k)
      for (std::int64_t j = index(x[1] - r); j <= index(x[1] + r); ++j)
        for (std::int64_t i = index(x[0] - r); i <= index(x[0] + r); ++i)
          for (int p = slots_[slot_of(key(i, j, k))].first; p >= 0; p = next_[p]) {
            const double r2 = dot(points_[p] - x, points_[p] - x);
            if (r2 < least2 || (r2 == least2 && nearest >= 0 && p < nearest))
              least2 = r2, nearest = p;
          }
    return nearest;
  }

  const std::vector<Vec3d>& points() const { return points_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    int first = -1;  // of a chain through next_; -1 in a free slot
  };

  std::int64_t index(double c) const { return std::int64_t(std::floor(c * inv_cell_)); }
  // Cells 2^21 apart share a key, which costs time and no truth: chains are compared by distance.
  static std::uint64_t key(std::int64_t i, std::int64_t j, std::int64_t k) {
    constexpr std::uint64_t mask = (1u << 21) - 1;
    return (std::uint64_t(i) & mask) | (std::uint64_t(j) & mask) << 21 |
           (std::uint64_t(k) & mask) << 42;
  }
  // The slot of a key, or the free one where it belongs.
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t h = (key * 0x9E3779B97F4A7C15u) >> 20 & mask;
    while (slots_[h].first >= 0 && slots_[h].key != key) h = (h + 1) & mask;
    return h;
  }
  bool cell_has(std::uint64_t key, const Vec3d& x, double r2) const {
    for (int i = slots_[slot_of(key)].first; i >= 0; i = next_[i])
      if (dot(points_[i] - x, points_[i] - x) < r2) return true;
    return false;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.first >= 0) slots_[slot_of(slot.key)] = slot;
  }

  double inv_cell_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<int> next_;
  std::vector<Vec3d> points_;
};

}  // namespace rtsim
