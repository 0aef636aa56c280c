#include "solvers/lbm/lbm_regions.h"

#include <algorithm>

#include "base/joined_sets.h"

namespace rtsim {

template <int D>
void LbmRegions::find(const lbm::Layout& layout, const lbm::Tracks& tracks) {
  layout_ = layout;
  first_span_ = tracks.first_span.download(), spans_ = tracks.spans.download();
  JoinedSets joined(spans_.size() / 2);
  // Spans of two rows that a direction joins, whose component along x is up to `reach`.
  const auto join_rows = [&](Index row, Index other, Index reach) {
    for (Index a = first_span_[std::size_t(row)]; a < first_span_[std::size_t(row) + 1]; ++a)
      for (Index b = first_span_[std::size_t(other)]; b < first_span_[std::size_t(other) + 1]; ++b)
        if (spans_[std::size_t(2 * a)] < spans_[std::size_t(2 * b) + 1] + reach &&
            spans_[std::size_t(2 * b)] < spans_[std::size_t(2 * a) + 1] + reach)
          joined.join(a, b);
  };
  const Index ny = layout.n[1], nz = layout.n[2];
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y) {
      const Index row = y + ny * z;
      if (y + 1 < ny) join_rows(row, row + 1, 1);
      if (z + 1 == nz) continue;
      join_rows(row, row + ny, 1);
      if (y + 1 < ny) join_rows(row, row + ny + 1, 0);
      if (y > 0) join_rows(row, row + ny - 1, 0);
    }
  for (const lbm::Passage& p : tracks.passages.download()) {
    const auto cell = [&](Index slot, int array) {
      return array % 2 == 1 ? slot - layout.offset<D>(array / 2) : slot;
    };
    joined.join(span_of(cell(p.to, p.to_array ^ 1)), span_of(cell(p.from, p.from_array)));
  }
  region_.resize(spans_.size() / 2);
  count_ = 0;
  for (std::size_t s = 0; s < region_.size(); ++s) {
    const int root = joined.root(int(s));
    region_[s] = root == int(s) ? count_++ : region_[std::size_t(root)];
  }
}

int LbmRegions::span_of(Index slot) const {
  const Index z = slot / layout_.plane - layout_.deep, y = slot % layout_.plane / layout_.pitch - 1;
  if (y < 0 || y >= layout_.n[1] || z < 0 || z >= layout_.n[2]) return -1;
  const Index x = slot % layout_.pitch - lbm::Layout::margin;
  const auto row = std::size_t(y + layout_.n[1] * z);
  Index s = first_span_[row];
  while (s < first_span_[row + 1] && spans_[std::size_t(2 * s) + 1] <= x) ++s;
  return s < first_span_[row + 1] && spans_[std::size_t(2 * s)] <= x ? int(s) : -1;
}

int LbmRegions::of_slot(Index slot) const { return region_[std::size_t(span_of(slot))]; }

template <int D>
int LbmRegions::at_or_beside(Index slot) const {
  int s = span_of(slot);
  for (int p = 0; p < lbm::Lattice<D>::pairs && s < 0; ++p) {
    const Index offset = layout_.offset<D>(p);
    s = std::max(span_of(slot + offset), span_of(slot - offset));
  }
  return s < 0 ? -1 : region_[std::size_t(s)];
}

template int LbmRegions::at_or_beside<2>(Index) const;
template int LbmRegions::at_or_beside<3>(Index) const;
template void LbmRegions::find<2>(const lbm::Layout&, const lbm::Tracks&);
template void LbmRegions::find<3>(const lbm::Layout&, const lbm::Tracks&);

}  // namespace rtsim
