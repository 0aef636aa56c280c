#pragma once
#include <vector>

#include "contact/self_contact.h"
#include "exec/buffer.h"

namespace rtsim {

// A bounding volume hierarchy (BVH) of AABBs over the cells of a moving mesh: halved once, at the
// medians of the places where its points start, and fitted anew as they move.
template <int N>
class ItemTree {
 public:
  using Item = VecT<std::int32_t, N>;

  explicit ItemTree(Exec ex) : ex_(ex), items_(ex), nodes_(ex), of_level_(ex) {}

  // May be done again, with others.
  void build(const std::vector<Item>& items, const std::vector<Vec<3>>& position);
  void fit(const contact::Ways&, Real margin);
  Item item(Index i) const { return items_.download()[std::size_t(i)]; }
  std::vector<Item> items() const { return items_.download(); }
  bool empty() const { return items_.size() == 0; }
  contact::ItemTree<N> view() { return {items_.span(), nodes_.span()}; }

 private:
  Exec ex_;
  Buffer<Item> items_;
  Buffer<contact::BoxNode> nodes_;
  Buffer<Index> of_level_;
  std::vector<Index> first_;  // of each level, the deepest first, and the end
};

}  // namespace rtsim
