#pragma once
#include <vector>

#include "exec/buffer.h"
#include "neighbours/cell_grid.h"

// Neighbour lists for CPU-shaped bodies. The device walks the cells instead.
namespace rtsim::neighbours {

// Where the neighbours of one row stand in its chunk's slots: `fluid` indices padded to whole
// lanes, then `boundary` indices padded likewise. Padding points at a far dummy row.
struct ListPlace {
  Index first;
  Index fluid, boundary;
};

constexpr Index padded(Index n) { return (n + lane_count - 1) / lane_count * lane_count; }

// Lists are made chunk by chunk of rows; each chunk owns its slots, so threads never meet.
class NeighbourLists {
 public:
  static constexpr Index chunk_rows = 1024;

  explicit NeighbourLists(Exec ex) : ex_(ex), places_(ex) {}

  void resize(Index rows) {
    places_.resize(std::size_t(rows));
    while (chunks_.size() < std::size_t(rows + chunk_rows - 1) / chunk_rows)
      chunks_.emplace_back(ex_);
  }
  Span<ListPlace> places() { return places_.span(); }
  Span<const ListPlace> places() const { return places_.span(); }
  const Index* slots(Index row) const { return chunks_[std::size_t(row / chunk_rows)].data(); }

  // Room for `more` slots behind `used` in the chunk of `row`; earlier slots are kept.
  Index* make_room(Index row, std::size_t used, std::size_t more) {
    Buffer<Index>& chunk = chunks_[std::size_t(row / chunk_rows)];
    if (used + more > chunk.size()) {
      Buffer<Index> larger(ex_, (used + more) * 5 / 4 + 4096);
      ex_.copy(larger.data(), chunk.data(), used * sizeof(Index));
      chunk.swap(larger);
    }
    return chunk.data();
  }

 private:
  Exec ex_;
  Buffer<ListPlace> places_;
  std::vector<Buffer<Index>> chunks_;
};

}  // namespace rtsim::neighbours
