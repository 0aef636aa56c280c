#pragma once
#include <vector>

#include "lbm/measures.h"

namespace rtsim {

// The regions of fluid that populations go between, so that nothing leaves one but by the faces of
// the domain: cells joined along the lattice's directions and by periodic faces. Found on the host.
class LbmRegions {
 public:
  template <int D>
  void find(const lbm::Layout&, const lbm::Tracks&);

  int count() const { return count_; }
  int of_slot(Index slot) const;
  // Of the cell at a slot, or of a fluid cell beside it in the grid (seams are not looked
  // through); -1: there is none.
  template <int D>
  int at_or_beside(Index slot) const;

 private:
  int span_of(Index slot) const;  // -1: solid

  lbm::Layout layout_;
  std::vector<Index> first_span_, spans_;
  std::vector<int> region_;  // of each span
  int count_ = 0;
};

// The slot of the fluid cell that a link leaves.
template <int D>
Index link_cell(const lbm::Layout& layout, const lbm::Link& l) {
  return l.from % 2 == 1 ? l.slot - layout.offset<D>(l.from / 2) : l.slot;
}

}  // namespace rtsim
