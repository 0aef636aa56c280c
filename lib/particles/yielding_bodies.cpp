#include "particles/yielding_bodies.h"

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
YieldingBodies<D>::YieldingBodies(World& world, const std::string& bodies, const std::string& fluid)
    : YieldingSolid<D>(world, bodies, fluid),
      starts_(starts_of_owners(world, bodies, fluid)),
      blocks_(world.exec),
      body_blocks_(world.exec),
      position_(world.exec),
      velocity_(world.exec),
      other_(world.exec),
      angular_(world.exec),
      other_angular_(world.exec),
      sums_(world.exec),
      gained_(world.exec, std::size_t(world.table(bodies).rows())) {
  const Blocks in = blocks_of(starts_.download());
  blocks_.upload(in.begins), body_blocks_.upload(in.of_bodies);
  sums_.resize(in.begins.size() - 1);
}

template <int D>
void YieldingBodies<D>::load(World& world, double dt) {
  using Angular = rigid::Angular<D>;
  const Exec& ex = world.exec;
  Table& bodies = world.table(this->solid_);
  fill(ex, position_, bodies.column<const Vec<D>>("position"));
  fill(ex, velocity_, bodies.column<const Vec<D>>("velocity"));
  fill(ex, angular_, bodies.column<const Angular>("angular_velocity"));
  const auto other =
      FluidPush<D>::find(world, this->solid_, this->fluid_)->other_accelerations(world, dt);
  other_.upload(other.velocity), other_angular_.upload(other.angular);
}

template <int D>
rigid::Bodies<D> YieldingBodies<D>::predicted(World& world) {
  Table& t = world.table(this->solid_);
  return {position_.span(),
          t.column<rigid::Orientation<D>>("orientation"),
          velocity_.span(),
          angular_.span(),
          t.column<const Real>("mass"),
          t.column<const rigid::Angular<D>>("inertia")};
}

template <int D>
rigid::BodyMobility<D> YieldingBodies<D>::mobility(World& world, const SphFluid<D>& fluid) {
  return {predicted(world),
          starts_.span(),
          this->samples(world).template column<const Index>("owner"),
          this->places(fluid),
          blocks_.span(),
          body_blocks_.span()};
}

template <int D>
void YieldingBodies<D>::aim(World& world, SphFluid<D>& fluid, double h, double lead) {
  Table& t = this->samples(world);
  rigid::predict_bodies<D>(world.exec, Real(h), world.gravity_vector<D>(), other_.span(),
                           other_angular_.span(), predicted(world));
  rigid::aim_samples<D>(world.exec, mobility(world, fluid),
                        t.template column<const Vec<D>>("position"),
                        t.template column<const Vec<D>>("velocity"), Real(lead), Real(1 / h),
                        fluid.walls().cells.rows, fluid.wall_motion());
}

template <int D>
void YieldingBodies<D>::apply_impulses(World& world, SphFluid<D>& fluid, double h) {
  rigid::apply_impulses<D>(world.exec, mobility(world, fluid), Real(h), this->push(),
                           fluid.walls().cells.rows, sums_.span(), gained_.span(),
                           fluid.wall_motion());
}

template <int D>
void YieldingBodies<D>::find_mobility_bound(World& world, const SphFluid<D>& fluid,
                                            Span<Real> bound) {
  rigid::find_mobility_bound<D>(world.exec, mobility(world, fluid),
                                this->samples(world).template column<const Vec<D>>("local"),
                                fluid.medium.mass, this->push(), bound);
}

template <int D>
void YieldingBodies<D>::move(World& world, SphFluid<D>& fluid, double h, double ahead) {
  Table& t = this->samples(world);
  rigid::move_on<D>(world.exec, Real(h), world.gravity_vector<D>(), predicted(world));
  rigid::carry_samples<D>(
      world.exec, mobility(world, fluid), fluid.walls().cells.rows, fluid.wall_motion(), Real(h),
      Real(ahead), t.template column<Vec<D>>("position"), t.template column<Vec<D>>("velocity"));
}

template class YieldingBodies<2>;
template class YieldingBodies<3>;

}  // namespace rtsim
