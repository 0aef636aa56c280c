#pragma once
#include <string>

#include "neighbours/neighbours.h"
#include "world/table.h"

namespace rtsim {

// Keeps the rows of a particle table in cell order, and a packed copy of their positions for pair
// loops. Scratch only: sorting rows that have not moved changes nothing, so a resumed run that
// sorts first goes on with the same bytes.
template <int D>
class ParticleCells {
 public:
  // Strays that would stretch the grid too far count to the nearest cell of `home`.
  ParticleCells(const Exec& ex, double cell_size, const neighbours::Box& home,
                const PeriodicBox& periodic = {});

  // Brings positions into the periodic box, and permutes all state columns of `particles`.
  void sort(Table& particles);

  CellRows view() const;
  Span<Row4> rows() { return rows_.span(); }  // (x, y, z, free), and far dummies

 private:
  Exec ex_;
  double cell_size_;
  neighbours::Box home_;
  PeriodicBox periodic_;
  CellGrid grid_;
  Buffer<std::uint32_t> keys_;
  Buffer<Index> order_, first_;
  Buffer<Row4> rows_;
};

}  // namespace rtsim
