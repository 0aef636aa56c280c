#include "particles/sph_walls.h"

#include <cmath>

#include "exec/sort.h"
#include "neighbours/neighbours.h"

namespace rtsim {

double wall_gamma(const sph::CubicSpline& kernel, int dim, double spacing) {
  const int reach = int(std::ceil(double(kernel.support) / spacing));
  double sum = 0;
  for (int j = -reach; j <= reach; ++j)
    for (int k = dim == 3 ? -reach : 0; k <= (dim == 3 ? reach : 0); ++k)
      sum += double(kernel.shape(Real((j * j + k * k) * spacing * spacing)));
  return double(kernel.scale) * sum * std::pow(spacing, dim);
}

template <int D>
SphWalls<D>::SphWalls(World& world, const std::string& fluid,
                      const std::vector<std::string>& boundaries, const sph::CubicSpline& kernel,
                      double spacing)
    : kernel_(kernel),
      gamma_(Real(wall_gamma(kernel, D, spacing))),
      position_(world.exec),
      velocity_(world.exec),
      unpacked_(world.exec),
      keys_(world.exec),
      order_(world.exec),
      first_(world.exec),
      rows_(world.exec),
      motion_(world.exec),
      force_(world.exec),
      volume_(world.exec) {
  for (const std::string& b : boundaries) {
    tables_.push_back(sample_table(b, fluid));
    moving_ = moving_ || world.object(b).moving;
    count_ += std::size_t(world.table(tables_.back()).rows());
  }
}

template <int D>
void SphWalls<D>::update(World& world, double ahead) {
  if (empty() || (packed_ && !moving_)) return;
  pack(world, ahead);
  packed_ = true;
}

template <int D>
void SphWalls<D>::aim(World& world, double dt, double ahead) {
  if (empty() || !moving_) return;
  gather(world);
  sph::aim_walls<D>(world.exec, order_.span(), position_.span(), velocity_.span(), Real(ahead),
                    Real(1 / dt), rows_.span(), motion_.span());
}

template <int D>
void SphWalls<D>::gather(World& world) {
  const Exec& ex = world.exec;
  position_.resize(count_), velocity_.resize(count_);
  std::size_t at = 0;
  for (const std::string& name : tables_) {
    Table& t = world.table(name);
    const std::size_t bytes = std::size_t(t.rows()) * sizeof(Vec<D>);
    ex.copy(position_.data() + at, t.column<Vec<D>>("position").data, bytes);
    ex.copy(velocity_.data() + at, t.column<Vec<D>>("velocity").data, bytes);
    at += std::size_t(t.rows());
  }
}

template <int D>
void SphWalls<D>::pack(World& world, double ahead) {
  const Exec& ex = world.exec;
  gather(world);

  // Walls may be far larger than the fluid: their cells grow until they fit.
  const neighbours::Box box = neighbours::bounding_box<D>(ex, position_.span());
  grid_ = neighbours::make_grid(box, box, double(kernel_.support), 4.0 * double(count_) + 65536);
  keys_.resize(count_), order_.resize(count_), first_.resize(std::size_t(grid_.cells()) + 1);
  rows_.resize(count_ + lane_count), motion_.resize(count_ + lane_count);
  neighbours::cell_keys<D>(ex, grid_, position_.span(), keys_.span());
  bin_by_key(ex, "walls.sort", keys_.span(), std::uint32_t(grid_.cells()), order_.span(),
             first_.span());
  sph::pack_walls<D>(ex, order_.span(), position_.span(), velocity_.span(), Real(ahead),
                     rows_.span(), motion_.span());
  sph::wall_volumes(ex, kernel_, gamma_, cells(), rows_.span());

  volume_.resize(count_);
  sph::unpack_volumes(ex, order_.span(), rows_.span(), volume_.span());
  std::size_t at = 0;
  for (const std::string& name : tables_) {
    const Span<Real> volume = world.table(name).column<Real>("volume");
    ex.copy(volume.data, volume_.data() + at, std::size_t(volume.size) * sizeof(Real));
    at += std::size_t(volume.size);
  }
}

template <int D>
void SphWalls<D>::begin_forces() {
  force_.resize(count_);
  force_.zero();
}

template <int D>
void SphWalls<D>::end_forces(World& world, int count) {
  const Exec& ex = world.exec;
  unpacked_.resize(count_);
  sph::unpack_forces<D>(ex, order_.span(), force_.span(), Real(1) / Real(count), unpacked_.span());
  std::size_t at = 0;
  for (const std::string& name : tables_) {
    const Span<Vec<D>> force = world.table(name).column<Vec<D>>("force");
    ex.copy(force.data, unpacked_.data() + at, std::size_t(force.size) * sizeof(Vec<D>));
    at += std::size_t(force.size);
  }
}

template <int D>
CellRows SphWalls<D>::cells() const {
  return {grid_, first_.span(), {rows_.data(), Index(count_)}};
}

template class SphWalls<2>;
template class SphWalls<3>;

}  // namespace rtsim
