#include "meshes/colouring.h"

#include <algorithm>
#include <bit>
#include <span>

namespace rtsim {

namespace {

// The colours that each point's cells have, as bits.
class TakenColours {
 public:
  explicit TakenColours(std::size_t points) : points_(points), bits_(points) {}

  template <class Corners>
  Index lowest_free(const Corners& corners) {
    for (std::size_t word = 0;; ++word) {
      if (word == words_) widen();
      std::uint64_t taken = 0;
      for (const auto p : corners) taken |= bits_[word * points_ + std::size_t(p)];
      if (~taken != 0) return Index(64 * word) + std::countr_one(taken);
    }
  }
  template <class Corners>
  void take(const Corners& corners, Index colour) {
    const std::size_t word = std::size_t(colour) / 64;
    for (const auto p : corners)
      bits_[word * points_ + std::size_t(p)] |= std::uint64_t(1) << (colour % 64);
  }

 private:
  void widen() { bits_.resize(++words_ * points_); }

  std::size_t points_, words_ = 1;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

Colouring colour(std::size_t points, const std::vector<std::int32_t>& corners, std::size_t each) {
  const std::size_t cells = corners.size() / each;
  TakenColours taken(points);
  std::vector<Index> colour_of(cells);
  Colouring c;
  c.first.push_back(0);
  for (std::size_t i = 0; i < cells; ++i) {
    const std::span at(corners.data() + each * i, each);
    colour_of[i] = taken.lowest_free(at);
    taken.take(at, colour_of[i]);
    if (std::size_t(colour_of[i]) + 1 == c.first.size()) c.first.push_back(0);
    ++c.first[std::size_t(colour_of[i]) + 1];
  }
  for (std::size_t k = 1; k < c.first.size(); ++k) c.first[k] += c.first[k - 1];
  std::vector<Index> next = c.first;
  c.order.resize(cells);
  for (std::size_t i = 0; i < cells; ++i)
    c.order[std::size_t(next[std::size_t(colour_of[i])]++)] = Index(i);
  return c;
}

}  // namespace rtsim
