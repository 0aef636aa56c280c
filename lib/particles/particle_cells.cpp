#include "particles/particle_cells.h"

#include "exec/sort.h"

namespace rtsim {

template <int D>
ParticleCells<D>::ParticleCells(const Exec& ex, double cell_size, const neighbours::Box& home,
                                const PeriodicBox& periodic)
    : ex_(ex),
      cell_size_(cell_size),
      home_(home),
      periodic_(periodic),
      keys_(ex),
      order_(ex),
      first_(ex),
      rows_(ex) {}

template <int D>
void ParticleCells<D>::sort(Table& particles) {
  const std::size_t n = std::size_t(particles.rows());
  const auto position = [&] { return Span<const Vec<D>>(particles.column<Vec<D>>("position")); };

  neighbours::wrap<D>(ex_, periodic_, particles.column<Vec<D>>("position"));

  // Twice as many cells as rows: a splash fills an eighth of the cells that a block of eight rows
  // a cell would.
  const double most = 2.0 * double(n) + 65536;
  grid_ = neighbours::make_grid(neighbours::bounding_box<D>(ex_, position()), home_, cell_size_,
                                most, periodic_);
  keys_.resize(n), order_.resize(n), rows_.resize(n + lane_count);
  first_.resize(std::size_t(grid_.cells()) + 1);
  neighbours::cell_keys<D>(ex_, grid_, position(), keys_.span());
  bin_by_key(ex_, "neighbours.sort", keys_.span(), std::uint32_t(grid_.cells()), order_.span(),
             first_.span());
  particles.permute(order_.span());
  neighbours::pack_positions<D>(ex_, position(), rows_.span());
}

template <int D>
CellRows ParticleCells<D>::view() const {
  Span<const Row4> rows = rows_.span();
  rows.size -= rows.size > 0 ? lane_count : 0;
  return {grid_, first_.span(), rows};
}

template class ParticleCells<2>;
template class ParticleCells<3>;

}  // namespace rtsim
