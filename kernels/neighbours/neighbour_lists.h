#pragma once
#include <cstdint>
#include <vector>

#include "exec/buffer.h"
#include "neighbours/cell_grid.h"

// Neighbour lists for CPU-shaped bodies. The device walks the cells instead.
namespace rtsim::neighbours {

// Where the neighbours of one row stand in its chunk's slots: `fluid` rows padded to whole lanes,
// then `boundary` rows padded likewise. Padding repeats the last of them.
struct ListPlace {
  Index first;
  Index fluid, boundary;
};

// A number that a pass keeps beside a slot, in a form of its own.
#ifdef RTSIM_DOUBLE
using Kept = Real;
#else
using Kept = std::uint16_t;
#endif

constexpr Index padded(Index n) { return (n + lane_count - 1) / lane_count * lane_count; }

// The slots of a chunk of rows. A slot is the distance of a neighbour from a row of its set that
// the chunk has chosen: neighbours are close in cell order, so 16 bits do, and passes that are
// bound by reading lists read half as much. Where one is further away, all slots of the chunk have
// 32 bits.
struct ListSlots {
  const std::int16_t* narrow;
  const Index* wide;  // read instead where it is not null
  Index fluid_from, boundary_from;

  Index fluid(Index slot) const { return fluid_from + at(slot); }
  Index boundary(Index slot) const { return boundary_from + at(slot); }
  Index at(Index slot) const { return wide ? wide[slot] : narrow[slot]; }
};

// Lists are made chunk by chunk of rows; each chunk owns its slots, so threads never meet.
class NeighbourLists {
 public:
  static constexpr Index chunk_rows = 1024;

  class Chunk {
   public:
    explicit Chunk(const Exec& ex) : ex_(ex), narrow_(ex), wide_(ex), kept_(ex) {}

    void begin(Index fluid_from, Index boundary_from) {
      fluid_from_ = fluid_from, boundary_from_ = boundary_from;
      used_ = 0, is_wide_ = false, keeps_ = false;
    }
    // From here on, and for the slots that are there already, 32 bits.
    void widen() {
      if (is_wide_) return;
      wide_.resize(with_room(used_));
      for (std::size_t k = 0; k < used_; ++k) wide_.data()[k] = narrow_.data()[k];
      is_wide_ = true;
    }
    static bool fits(Index first, Index last, Index from) {
      return first - from >= INT16_MIN && last - from <= INT16_MAX;
    }
    bool is_wide() const { return is_wide_; }
    Index fluid_from() const { return fluid_from_; }
    Index boundary_from() const { return boundary_from_; }

    // Room for `more` slots, for the writer of `Slot`, behind those that are used.
    template <class Slot>
    Slot* make_room(std::size_t more) {
      Buffer<Slot>& slots = buffer(Slot{});
      if (used_ + more > slots.size()) {
        Buffer<Slot> larger(ex_, with_room(used_ + more));
        ex_.copy(larger.data(), slots.data(), used_ * sizeof(Slot));
        slots.swap(larger);
      }
      return slots.data() + used_;
    }
    std::size_t used() const { return used_; }
    void use(Index more) { used_ += std::size_t(more); }

    // Numbers beside the lists: one for each slot, which a pass keeps for those after it until the
    // next search.
    Kept* keep() const {
      if (kept_.size() < used_) kept_.resize(with_room(used_));
      keeps_ = true;
      return kept_.data();
    }
    const Kept* kept() const { return keeps_ ? kept_.data() : nullptr; }

    ListSlots slots() const {
      return {narrow_.data(), is_wide_ ? wide_.data() : nullptr, fluid_from_, boundary_from_};
    }

   private:
    // Little: lists are most of the memory, and a chunk's length hardly changes.
    static std::size_t with_room(std::size_t slots) { return slots + slots / 32 + 64; }
    Buffer<std::int16_t>& buffer(std::int16_t) { return narrow_; }
    Buffer<Index>& buffer(Index) { return wide_; }

    Exec ex_;
    Buffer<std::int16_t> narrow_;
    Buffer<Index> wide_;
    mutable Buffer<Kept> kept_;
    mutable bool keeps_ = false;
    std::size_t used_ = 0;
    bool is_wide_ = false;
    Index fluid_from_ = 0, boundary_from_ = 0;
  };

  explicit NeighbourLists(Exec ex) : ex_(ex), places_(ex) {}

  void resize(Index rows) {
    places_.resize(std::size_t(rows));
    while (chunks_.size() < std::size_t(rows + chunk_rows - 1) / chunk_rows)
      chunks_.emplace_back(ex_);
  }
  Span<ListPlace> places() { return places_.span(); }
  Span<const ListPlace> places() const { return places_.span(); }
  Chunk& chunk(Index row) { return chunks_[std::size_t(row / chunk_rows)]; }
  const Chunk& chunk(Index row) const { return chunks_[std::size_t(row / chunk_rows)]; }
  ListSlots slots(Index row) const { return chunk(row).slots(); }

 private:
  Exec ex_;
  Buffer<ListPlace> places_;
  std::vector<Chunk> chunks_;
};

}  // namespace rtsim::neighbours
