#pragma once
#include <vector>

#include "rigid/narrow_phase/collision.h"

namespace rtsim::rigid {

// Pairs of boxes that overlap. Items lie in Morton order in a tree of eight children a node, which
// is made anew each time: 2^k boxes cost the same wherever they were before.
template <int D>
class BroadPhase {
 public:
  // Items [0, moving) are of bodies, in ascending order of these; the rest are of boundaries.
  // Pairs come sorted by body of a, body of b, a and b; none of one body with itself.
  void find(const Exec&, const std::vector<Aabb<D>>& aabbs, const std::vector<Item>& items,
            Index moving, std::vector<ItemPair>& pairs);

 private:
  static constexpr Index width = 8;
  struct Node {
    Real low[D][width], high[D][width];
  };
  void order(const std::vector<Aabb<D>>& aabbs);
  void grow(const std::vector<Aabb<D>>& aabbs);
  static unsigned meets(const Node&, const Aabb<D>&);
  static void sort(const Exec&, const std::vector<Item>& items, Index moving,
                   const std::vector<std::vector<ItemPair>>& found, std::vector<ItemPair>& pairs);
  template <class Visit>
  void visit_leaves(const Aabb<D>& box, Index from, const Visit& visit) const;
  void search(Index leaf, const std::vector<Item>& items, Index moving,
              std::vector<ItemPair>& pairs) const;

  std::vector<Index> bounded_, everywhere_;
  std::vector<std::pair<std::uint32_t, Index>> keys_;
  std::vector<std::vector<Node>> levels_;  // leaves first
  std::vector<Index> row_;                 // of items, in the leaves' order
};

}  // namespace rtsim::rigid
