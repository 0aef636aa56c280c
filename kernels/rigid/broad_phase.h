#pragma once
#include <vector>

#include "rigid/narrow_phase/collision.h"

namespace rtsim::rigid {

// Rows of two items, the lower first.
using OverlapPair = VecT<Index, 2>;

// Pairs of boxes that overlap. Items lie in Morton order in a tree of eight children a node: 2^k
// boxes cost the same wherever they were before. Those that rest have a tree of their own, which
// is kept; that of the others is made anew each time, and goes with it.
template <int D>
class BroadPhase {
 public:
  // Items that rest from now on; none at first.
  void rest(const std::vector<Aabb<D>>& aabbs, std::vector<Index> items);
  // Pairs of the `live` items with each other and with those that rest. Items [0, moving) are of
  // bodies, in ascending order of these; the rest are of boundaries. Pairs (a, b) come sorted by
  // body of a, body of b, a and b; none of one body with itself.
  std::vector<OverlapPair> find(const Exec&, const std::vector<Aabb<D>>& aabbs,
                                const std::vector<Item>& items, Index moving,
                                const std::vector<Index>& live);

 private:
  static constexpr Index width = 8;
  struct Node {
    Real low[D][width], high[D][width];
  };
  struct Tree {
    std::vector<Index> everywhere;          // items without bounds
    std::vector<Index> row;                 // the others, in the leaves' order
    std::vector<std::vector<Node>> levels;  // leaves first

    void make(const std::vector<Aabb<D>>& aabbs, const std::vector<Index>& items);
    void grow(const std::vector<Aabb<D>>& aabbs);
    Index leaves() const { return levels.empty() ? 0 : Index(levels[0].size()); }
    template <class Visit>
    void visit_leaves(const Aabb<D>& box, Index from, const Visit& visit) const;
  };
  static unsigned meets(const Node&, const Aabb<D>&);
  static std::vector<OverlapPair> sorted(const Exec&, const std::vector<Item>& items, Index moving,
                                         std::vector<std::vector<OverlapPair>> found);
  template <class Add>
  void search(Index leaf, const Add& add) const;
  template <class Add>
  void pair_everywhere(Index moving, const std::vector<Index>& live, const Add& add) const;

  Tree live_, resting_;
};

}  // namespace rtsim::rigid
