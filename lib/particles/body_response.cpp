#include "particles/body_response.h"

#include <utility>

#include "bodies/fluid_push.h"

namespace rtsim {

namespace {

template <class T>
void fill(const Exec& ex, Buffer<T>& to, Span<const T> from) {
  to.resize(std::size_t(from.size));
  ex.copy(to.data(), from.data, std::size_t(from.size) * sizeof(T));
}

// Blocks of samples, none of two bodies: where they begin, with the end behind them, and the first
// block of each body.
struct Blocks {
  std::vector<Index> begins, of_bodies;
};
Blocks blocks_of(const std::vector<Index>& starts) {
  Blocks b;
  for (std::size_t o = 0; o + 1 < starts.size(); ++o) {
    b.of_bodies.push_back(Index(b.begins.size()));
    for (Index s = starts[o]; s < starts[o + 1]; s += rigid::block_samples) b.begins.push_back(s);
  }
  b.of_bodies.push_back(Index(b.begins.size()));
  b.begins.push_back(starts.back());
  return b;
}

}  // namespace

template <int D>
BodyResponse<D>::BodyResponse(World& world, const std::string& fluid,
                              const std::vector<std::string>& boundaries)
    : fluid_(fluid), boundaries_(boundaries), mobility_bound_(world.exec) {}

template <int D>
void BodyResponse<D>::offer(World& world, int substeps) const {
  for (const std::string& b : boundaries_)
    if (world.object(b).kind == Kind::bodies)
      FluidPush<D>::find(world, b, fluid_)->offer_strong(world, 1.0 / substeps);
}

// Stages come one after the other: what `couple` asks for is known after it was made.
template <int D>
void BodyResponse<D>::find_sets(World& world) {
  if (looked_) return;
  looked_ = true;
  Index first = 0;
  for (const std::string& b : boundaries_) {
    Table& samples = world.table(sample_table(b, fluid_));
    if (world.object(b).kind == Kind::bodies &&
        FluidPush<D>::find(world, b, fluid_)->strong(world)) {
      const Exec& ex = world.exec;
      const std::size_t rows = std::size_t(world.table(b).rows());
      Buffer<Index> starts = starts_of_owners(world, b, fluid_);
      const Blocks in = blocks_of(starts.download());
      sets_.push_back({b, first, samples.rows(), std::move(starts), Buffer<Index>(ex, in.begins),
                       Buffer<Index>(ex, in.of_bodies), Buffer<Vec<D>>(ex, rows),
                       Buffer<Vec<D>>(ex, rows), Buffer<Vec<D>>(ex, rows),
                       Buffer<rigid::Angular<D>>(ex, rows), Buffer<rigid::Angular<D>>(ex, rows),
                       Buffer<Row4>(ex, std::size_t(samples.rows())),
                       Buffer<rigid::Twist<D, double>>(ex, in.begins.size() - 1),
                       Buffer<rigid::Twist<D, Real>>(ex, rows)});
    }
    first += samples.rows();
  }
}

template <int D>
void BodyResponse<D>::begin(World& world, double dt, bool stale) {
  find_sets(world);
  lead_ = stale ? dt : 0;
  for (Set& s : sets_) {
    load(world, dt, s);
    if (!stale) continue;
    Table& t = samples(world, s);
    rigid::advance_samples<D>(world.exec, Real(dt), t.column<const Vec<D>>("velocity"),
                              t.column<Vec<D>>("position"));
  }
}

template <int D>
void BodyResponse<D>::load(World& world, double dt, Set& s) {
  using Angular = rigid::Angular<D>;
  const Exec& ex = world.exec;
  Table& bodies = world.table(s.bodies);
  fill(ex, s.position, bodies.column<const Vec<D>>("position"));
  fill(ex, s.velocity, bodies.column<const Vec<D>>("velocity"));
  fill(ex, s.angular, bodies.column<const Angular>("angular_velocity"));
  const auto other = FluidPush<D>::find(world, s.bodies, fluid_)->other_accelerations(world, dt);
  s.other.upload(other.velocity), s.other_angular.upload(other.angular);
}

template <int D>
rigid::Bodies<D> BodyResponse<D>::predicted(World& world, Set& s) const {
  Table& t = world.table(s.bodies);
  return {s.position.span(),
          t.column<rigid::Orientation<D>>("orientation"),
          s.velocity.span(),
          s.angular.span(),
          t.column<const Real>("mass"),
          t.column<const rigid::Angular<D>>("inertia")};
}

template <int D>
rigid::BodyMobility<D> BodyResponse<D>::mobility(World& world, const SphFluid<D>& fluid,
                                                 Set& s) const {
  return {
      predicted(world, s), s.starts.span(), samples(world, s).template column<const Index>("owner"),
      places(fluid, s),    s.blocks.span(), s.body_blocks.span()};
}

template <int D>
void BodyResponse<D>::aim(World& world, SphFluid<D>& fluid, double h) {
  const Exec& ex = world.exec;
  for (Set& s : sets_) {
    Table& t = samples(world, s);
    rigid::predict_bodies<D>(ex, Real(h), world.gravity_vector<D>(), s.other.span(),
                             s.other_angular.span(), predicted(world, s));
    rigid::aim_samples<D>(ex, mobility(world, fluid, s), t.column<const Vec<D>>("position"),
                          t.column<const Vec<D>>("velocity"), Real(lead_), Real(1 / h),
                          fluid.walls().cells.rows, fluid.wall_motion());
  }
}

template <int D>
void BodyResponse<D>::apply_impulses(World& world, SphFluid<D>& fluid, double h, Set& s) {
  rigid::apply_impulses<D>(world.exec, mobility(world, fluid, s), Real(h), s.push.span(),
                           fluid.walls().cells.rows, s.sums.span(), s.gained.span(),
                           fluid.wall_motion());
}

template <int D>
void BodyResponse<D>::set_mobility_bound(World& world, SphFluid<D>& fluid, Set& s) {
  rigid::find_mobility_bound<D>(world.exec, mobility(world, fluid, s),
                                samples(world, s).template column<const Vec<D>>("local"),
                                fluid.medium.mass, s.push.span(), mobility_bound_.span());
}

template <int D>
void BodyResponse<D>::move(World& world, SphFluid<D>& fluid, double h, double ahead) {
  const Exec& ex = world.exec;
  lead_ = ahead;
  for (Set& s : sets_) {
    Table& t = samples(world, s);
    rigid::move_on<D>(ex, Real(h), world.gravity_vector<D>(), predicted(world, s));
    rigid::carry_samples<D>(ex, mobility(world, fluid, s), fluid.walls().cells.rows,
                            fluid.wall_motion(), Real(h), Real(ahead), t.column<Vec<D>>("position"),
                            t.column<Vec<D>>("velocity"));
  }
}

template class BodyResponse<2>;
template class BodyResponse<3>;

}  // namespace rtsim
