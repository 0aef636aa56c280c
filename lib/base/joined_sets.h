#pragma once
#include <algorithm>
#include <vector>

#include "base/types.h"

namespace rtsim {

// Sets of numbers, joined pair by pair. The root of a set is its least.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t n) : up_(n) {
    for (std::size_t i = 0; i < n; ++i) up_[i] = Index(i);
  }
  Index root(Index i) {
    while (up_[std::size_t(i)] != i) {
      Index& up = up_[std::size_t(i)];
      i = up = up_[std::size_t(up)];
    }
    return i;
  }
  void join(Index a, Index b) {
    a = root(a), b = root(b);
    up_[std::size_t(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<Index> up_;
};

}  // namespace rtsim
