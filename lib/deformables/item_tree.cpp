#include "deformables/item_tree.h"

#include <algorithm>
#include <numeric>

namespace rtsim {

namespace {

constexpr Index leaf_size = 4;

// Nodes in depth-first order, and how deep each lies.
class MedianSplit {
 public:
  explicit MedianSplit(std::vector<Vec3d> centres) : centres_(std::move(centres)) {
    order.resize(centres_.size());
    std::iota(order.begin(), order.end(), 0);
    grow(0, Index(order.size()), 0);
  }

  std::vector<Index> order;
  std::vector<contact::BoxNode> nodes;
  std::vector<int> level;

 private:
  int longest_side(Index first, Index count) const {
    Vec3d low = centres_[std::size_t(order[std::size_t(first)])], high = low;
    for (Index i = first; i < first + count; ++i)
      for (int a = 0; a < 3; ++a) {
        const double x = centres_[std::size_t(order[std::size_t(i)])][a];
        low[a] = std::min(low[a], x), high[a] = std::max(high[a], x);
      }
    const Vec3d size = high - low;
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  }

  void grow(Index first, Index count, int depth) {
    const std::size_t node = nodes.size();
    nodes.push_back({{}, {}, first, count});
    level.push_back(depth);
    if (count <= leaf_size) return;
    const int axis = longest_side(first, count);
    const Index half = count / 2;
    const auto begin = order.begin() + first;
    std::nth_element(begin, begin + half, begin + count, [&](Index i, Index j) {
      const double x = centres_[std::size_t(i)][axis], y = centres_[std::size_t(j)][axis];
      return x != y ? x < y : i < j;
    });
    grow(first, half, depth + 1);
    nodes[node].first = Index(nodes.size()), nodes[node].count = 0;
    grow(first + half, count - half, depth + 1);
  }

  std::vector<Vec3d> centres_;
};

}  // namespace

template <int N>
void ItemTree<N>::build(const std::vector<Item>& items, const std::vector<Vec<3>>& position) {
  first_.clear();
  if (items.empty()) {
    items_.resize(0), nodes_.resize(0);
    return;
  }
  std::vector<Vec3d> centres;
  for (const Item& item : items) {
    Vec3d sum;
    for (int k = 0; k < N; ++k) sum = sum + widen(position[std::size_t(item[k])]);
    centres.push_back(sum);
  }
  const MedianSplit split(std::move(centres));
  std::vector<Item> ordered;
  for (const Index i : split.order) ordered.push_back(items[std::size_t(i)]);
  std::vector<Index> of_level(split.nodes.size());
  std::iota(of_level.begin(), of_level.end(), 0);
  const auto level = [&](Index node) { return split.level[std::size_t(node)]; };
  std::ranges::stable_sort(of_level, [&](Index a, Index b) { return level(a) > level(b); });
  for (std::size_t k = 0; k < of_level.size(); ++k)
    if (k == 0 || level(of_level[k]) != level(of_level[k - 1])) first_.push_back(Index(k));
  first_.push_back(Index(of_level.size()));
  items_.upload(ordered), nodes_.upload(split.nodes), of_level_.upload(of_level);
}

template <int N>
void ItemTree<N>::fit(const contact::Ways& ways, Real margin) {
  if (!empty()) contact::fit<N>(ex_, view(), ways, margin, of_level_.span(), first_);
}

template class ItemTree<1>;
template class ItemTree<2>;
template class ItemTree<3>;

}  // namespace rtsim
