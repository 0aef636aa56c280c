#include "particles/walls/sph_walls.h"

#include <algorithm>
#include <cmath>

#include "bodies/fluid_push.h"
#include "exec/sort.h"
#include "neighbours/neighbours.h"
#include "particles/walls/wall_forces.h"

namespace rtsim {

double wall_gamma(const sph::CubicSpline& kernel, int dim, double spacing) {
  const int reach = int(std::ceil(double(kernel.support) / spacing));
  double sum = 0;
  for (int j = -reach; j <= reach; ++j)
    for (int k = dim == 3 ? -reach : 0; k <= (dim == 3 ? reach : 0); ++k)
      sum += double(kernel.shape(Real((j * j + k * k) * spacing * spacing)));
  return double(kernel.scale) * sum * std::pow(spacing, dim);
}

Buffer<Index> starts_of_owners(World& world, const std::string& boundary,
                               const std::string& fluid) {
  Buffer<Index> kept(world.exec);
  if (world.object(boundary).kind != Kind::bodies) return kept;
  const auto owner = world.table(sample_table(boundary, fluid)).download<Index>("owner");
  std::vector<Index> starts;
  for (Index o = 0; o <= world.table(boundary).rows(); ++o)
    starts.push_back(Index(std::ranges::lower_bound(owner, o) - owner.begin()));
  kept.resize(starts.size());
  world.exec.upload(kept.data(), starts.data(), starts.size() * sizeof starts[0]);
  return kept;
}

Index first_sample(World& world, const std::string& fluid,
                   const std::vector<std::string>& boundaries, const std::string& boundary) {
  Index first = 0;
  for (auto b = boundaries.begin(); *b != boundary; ++b)
    first += world.table(sample_table(*b, fluid)).rows();
  return first;
}

template <int D>
SphWalls<D>::SphWalls(World& world, const std::string& fluid,
                      const std::vector<std::string>& boundaries, const sph::CubicSpline& kernel,
                      double spacing, const PeriodicBox& periodic)
    : fluid_(fluid),
      boundaries_(boundaries),
      kernel_(kernel),
      gamma_(Real(wall_gamma(kernel, D, spacing))),
      periodic_(periodic),
      position_(world.exec),
      velocity_(world.exec),
      collected_(world.exec),
      layer_(world.exec),
      keys_(world.exec),
      order_(world.exec),
      first_(world.exec),
      rows_(world.exec),
      motion_(world.exec),
      force_(world.exec),
      couple_(world.exec),
      volume_(world.exec),
      places_(world.exec),
      sums_(world.exec) {
  for (const std::string& b : boundaries) {
    moving_ = moving_ || world.object(b).moving;
    starts_.push_back(starts_of_owners(world, b, fluid));
    meshes_.emplace_back();
    if (world.object(b).kind == Kind::mesh) meshes_.back().emplace(world, b, fluid);
    owned_ = owned_ || starts_.back().size() > 0 || meshes_.back();
  }
  count(world);
}

template <int D>
void SphWalls<D>::count(World& world) {
  count_ = 0;
  for (const std::string& b : boundaries_)
    count_ += std::size_t(world.table(sample_table(b, fluid_)).rows());
}

template <int D>
void SphWalls<D>::update(World& world, double ahead) {
  if (empty() || (packed_ && !moving_)) return;
  if (substeps_ > 0) {
    // Where samples came or went there are no forces on them yet.
    const bool pushed = !stale(world);
    for (CarriedMesh& m : carried_) {
      if (pushed) m.push(world, places_.span(), force_.span());
      m.carry(world, ahead);
    }
    if (pushed) collect_forces(world);
  }
  pack(world, ahead);
  packed_ = true;
}

template <int D>
bool SphWalls<D>::stale(World& world) const {
  for (std::size_t b = 0; b < revisions_.size(); ++b)
    if (world.table(sample_table(boundaries_[b], fluid_)).revision() != revisions_[b]) return true;
  return false;
}

template <int D>
void SphWalls<D>::aim(World& world, double dt, double ahead) {
  if (empty() || !moving_) return;
  gather(world);
  sph::aim_walls<D>(world.exec, periodic_, order_.span(), position_.span(), velocity_.span(),
                    Real(ahead), Real(1 / dt), rows_.span(), motion_.span());
}

template <int D>
void SphWalls<D>::gather(World& world) {
  const Exec& ex = world.exec;
  position_.resize(count_), velocity_.resize(count_), layer_.resize(count_);
  std::size_t at = 0;
  for (const std::string& b : boundaries_) {
    Table& t = world.table(sample_table(b, fluid_));
    const std::size_t bytes = std::size_t(t.rows()) * sizeof(Vec<D>);
    ex.copy(position_.data() + at, t.column<Vec<D>>("position").data, bytes);
    ex.copy(velocity_.data() + at, t.column<Vec<D>>("velocity").data, bytes);
    ex.copy(layer_.data() + at, t.column<Index>("layer").data,
            std::size_t(t.rows()) * sizeof(Index));
    at += std::size_t(t.rows());
  }
}

template <int D>
void SphWalls<D>::pack(World& world, double ahead) {
  const Exec& ex = world.exec;
  count(world);
  gather(world);
  neighbours::wrap<D>(ex, periodic_, position_.span());

  // Walls may be far larger than the fluid: their cells grow until they fit.
  const neighbours::Box box = neighbours::bounding_box<D>(ex, position_.span());
  grid_ = neighbours::make_grid(box, box, double(kernel_.support), 4.0 * double(count_) + 65536,
                                periodic_);
  keys_.resize(count_), order_.resize(count_), first_.resize(std::size_t(grid_.cells()) + 1);
  rows_.resize(count_ + lane_count), motion_.resize(count_ + lane_count);
  neighbours::cell_keys<D>(ex, grid_, position_.span(), keys_.span());
  bin_by_key(ex, "walls.sort", keys_.span(), std::uint32_t(grid_.cells()), order_.span(),
             first_.span());
  sph::pack_walls<D>(ex, periodic_, order_.span(), position_.span(), velocity_.span(),
                     layer_.span(), Real(ahead), rows_.span(), motion_.span());
  if (owned_) places_.resize(count_), sph::find_places(ex, order_.span(), places_.span());
  volume_.resize(count_);
  sph::wall_volumes(ex, kernel_, gamma_, cells(), order_.span(), volume_.span(), rows_.span());
  std::size_t at = 0;
  revisions_.clear();
  for (const std::string& b : boundaries_) {
    Table& t = world.table(sample_table(b, fluid_));
    revisions_.push_back(t.revision());
    const Span<Real> volume = t.column<Real>("volume");
    ex.copy(volume.data, volume_.data() + at, std::size_t(volume.size) * sizeof(Real));
    at += std::size_t(volume.size);
  }
}

template <int D>
void SphWalls<D>::let_meshes_yield(World& world, int substeps) {
  for (std::size_t b = 0; b < boundaries_.size(); ++b) {
    if (!meshes_[b]) continue;
    meshes_yield_ = true;
    FluidPush<D>::find(world, boundaries_[b], fluid_)->offer_strong(world, 1.0 / substeps);
  }
}

// Stages come one after the other: what `couple` asks for is known after this was made.
template <int D>
void SphWalls<D>::find_carried(World& world) {
  if (!meshes_yield_) return;
  meshes_yield_ = false;
  for (std::size_t b = 0; b < boundaries_.size(); ++b)
    if (meshes_[b] && FluidPush<D>::find(world, boundaries_[b], fluid_)->strong(world))
      carried_.emplace_back(world, boundaries_[b], fluid_);
}

template <int D>
void SphWalls<D>::begin_forces(World& world, double dt, int substeps) {
  find_carried(world);
  for (CarriedMesh& m : carried_)
    m.begin(world, dt, dt / substeps, first_sample(world, fluid_, boundaries_, m.mesh()));
  count(world);
  substeps_ = substeps;
  for (Buffer<Row4>* b : {&force_, &couple_}) b->resize(count_), b->zero();
  collected_.resize(count_), collected_.zero();
  total_.clear();
  for (const std::string& b : boundaries_)
    total_.emplace_back(std::size_t(world.table(force_table(b, fluid_)).rows()));
}

// Samples that move change their places among the packed rows at every update, so what they got is
// taken down before.
template <int D>
void SphWalls<D>::collect_forces(World& world) {
  const Exec& ex = world.exec;
  sph::unpack_forces<D>(ex, order_.span(), force_.span(), Real(1) / Real(substeps_),
                        collected_.span());
  Index first = 0;
  for (std::size_t b = 0; b < boundaries_.size(); ++b) {
    sum_owners(world, b, first);
    first += world.table(sample_table(boundaries_[b], fluid_)).rows();
  }
  force_.zero(), couple_.zero();
}

template <int D>
void SphWalls<D>::sum_owners(World& world, std::size_t boundary, Index first) {
  const Exec& ex = world.exec;
  auto& total = total_[boundary];
  std::vector<sph::ForceAndTorque> sums(total.size());
  if (meshes_[boundary]) {
    sums_.resize(sums.size());
    sph::sum_shared(ex, first, meshes_[boundary]->shares(), places_.span(), rows_.span(),
                    force_.span(), couple_.span(), sums_.span());
    ex.download(sums.data(), sums_.data(), sums.size() * sizeof sums[0]);
  } else if (starts_[boundary].size() == 0) {
    const auto owners = world.table(sample_table(boundaries_[boundary], fluid_))
                            .template column<const Index>("owner");
    sums[0] = sph::sum_forces(ex, {order_.span(), first, owners, 0}, rows_.span(), force_.span(),
                              couple_.span());
  } else {
    sums_.resize(sums.size());
    sph::sum_owned(ex, first, starts_[boundary].span(), places_.span(), rows_.span(), force_.span(),
                   couple_.span(), sums_.span());
    ex.download(sums.data(), sums_.data(), sums.size() * sizeof sums[0]);
  }
  for (std::size_t o = 0; o < total.size(); ++o) total[o] = sph::AddForces{}(total[o], sums[o]);
}

template <int D>
void SphWalls<D>::end_forces(World& world) {
  const Exec& ex = world.exec;
  collect_forces(world);
  std::size_t at = 0;
  for (std::size_t b = 0; b < boundaries_.size(); ++b) {
    const Span<Vec<D>> force =
        world.table(sample_table(boundaries_[b], fluid_)).template column<Vec<D>>("force");
    ex.copy(force.data, collected_.data() + at, std::size_t(force.size) * sizeof(Vec<D>));
    at += std::size_t(force.size);
    write_forces<D>(world, boundaries_[b], fluid_, total_[b], 1.0 / substeps_);
  }
  substeps_ = 0;
}

template <int D>
CellRows SphWalls<D>::cells() const {
  return {grid_, first_.span(), {rows_.data(), Index(count_)}};
}

template class SphWalls<2>;
template class SphWalls<3>;

}  // namespace rtsim
