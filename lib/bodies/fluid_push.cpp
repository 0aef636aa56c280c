#include "bodies/fluid_push.h"

#include <cmath>

#include "base/error.h"

namespace rtsim {

namespace {

template <class V>
void put(const Exec& ex, Table& t, const char* column, const std::vector<V>& values) {
  ex.upload(t.column<V>(column).data, values.data(), values.size() * sizeof(V));
}

template <class V>
V common_part(const V& a, const V& b, int components) {
  V both{};
  for (int k = 0; k < components; ++k)
    if (a[k] * b[k] > 0) both[k] = std::abs(a[k]) < std::abs(b[k]) ? a[k] : b[k];
  return both;
}

// What the last step brought beyond what was expected, over dt, goes to the column `other`; what
// comes back is what it has in common with the step before.
template <class V>
std::vector<V> acts_on(const Exec& exec, Table& t, const char* other, const std::vector<V>& now,
                       const std::vector<V>& expected, double dt) {
  auto last = t.download<V>(other);
  std::vector<V> common(last.size());
  for (std::size_t o = 0; o < last.size(); ++o) {
    const V beyond = Real(1 / dt) * (now[o] - expected[o]);
    common[o] = common_part(beyond, last[o], int(sizeof(V) / sizeof(Real)));
    last[o] = beyond;
  }
  put(exec, t, other, last);
  return common;
}

}  // namespace

template <int D>
FluidPush<D> FluidPush<D>::make(World& world, const std::string& solid, const std::string& fluid) {
  const bool yields = world.object(solid).kind != Kind::boundary;
  Table& t = world.add_table(force_table(solid, fluid), yields ? world.table(solid).rows() : 1);
  t.add<Force>({"force", "N"});
  t.add<Torque>({"torque", "N m"});
  return {solid, t.name()};
}

template <int D>
std::optional<FluidPush<D>> FluidPush<D>::find(World& world, const std::string& solid,
                                               const std::string& fluid) {
  const std::string table = force_table(solid, fluid);
  if (!world.has_table(table)) return std::nullopt;
  return FluidPush(solid, table);
}

template <int D>
auto FluidPush<D>::force(World& world) const -> std::vector<Force> {
  return world.table(table_).download<Force>("force");
}

template <int D>
auto FluidPush<D>::torque(World& world) const -> std::vector<Torque> {
  return world.table(table_).download<Torque>("torque");
}

template <int D>
void FluidPush<D>::write(World& world, const std::vector<Force>& force,
                         const std::vector<Torque>& torque) const {
  put(world.exec, world.table(table_), "force", force);
  put(world.exec, world.table(table_), "torque", torque);
}

template <int D>
Vec3d FluidPush<D>::mean_place(const Vec3d& x, const Vec3d& v, const World& world, double dt) {
  const Vec3d g{{world.gravity[0], world.gravity[1], world.gravity[2]}};
  return x + dt / 2 * v + dt * dt / 6 * g;
}

template <int D>
void FluidPush<D>::offer_strong(World& world, double part) const {
  Table& t = world.table(table_);
  t.add<Real>({"at_start", ""}, std::vector<Real>(std::size_t(t.rows()), Real(part)));
}

template <int D>
bool FluidPush<D>::offers_strong(World& world) const {
  return world.table(table_).has("at_start");
}

template <int D>
std::vector<Real> FluidPush<D>::part_at_start(World& world) const {
  return world.table(table_).download<Real>("at_start");
}

template <int D>
void FluidPush<D>::take_steady(World& world) const {
  Table& t = world.table(table_);
  if (strong(world) && t.rows() > 0 && part_at_start(world)[0] == 0) t.add<Real>({"steady", ""});
}

template <int D>
bool FluidPush<D>::steady(World& world) const {
  return world.table(table_).has("steady");
}

// Nothing has acted yet.
template <int D>
void FluidPush<D>::accept_strong(World& world) const {
  Table &t = world.table(table_), &of = world.table(solid_);
  if (strong(world))
    throw Error(ExitCode::bad_input, "another stage \"couple\" pushes '" + solid_ +
                                         "' by the same fluid; leave one out");
  t.add<Vec<D>>({"expected_velocity", "m/s"}, of.download<Vec<D>>("velocity"));
  t.add<Vec<D>>({"other_acceleration", "m/s^2"});
  if (!of.has("angular_velocity")) return;
  t.add<Angular>({"expected_angular_velocity", "rad/s"}, of.download<Angular>("angular_velocity"));
  t.add<Angular>({"other_angular_acceleration", "rad/s^2"});
}

template <int D>
bool FluidPush<D>::strong(World& world) const {
  return world.table(table_).has("expected_velocity");
}

template <int D>
void FluidPush<D>::expect(World& world, const Motion& m) const {
  put(world.exec, world.table(table_), "expected_velocity", m.velocity);
  if (!m.angular.empty())
    put(world.exec, world.table(table_), "expected_angular_velocity", m.angular);
}

template <int D>
auto FluidPush<D>::other_accelerations(World& world, double dt) const -> Motion {
  Table &t = world.table(table_), &of = world.table(solid_);
  Motion other{acts_on(world.exec, t, "other_acceleration", of.download<Vec<D>>("velocity"),
                       t.download<Vec<D>>("expected_velocity"), dt),
               {}};
  if (of.has("angular_velocity"))
    other.angular = acts_on(world.exec, t, "other_angular_acceleration",
                            of.download<Angular>("angular_velocity"),
                            t.download<Angular>("expected_angular_velocity"), dt);
  return other;
}

template class FluidPush<2>;
template class FluidPush<3>;

}  // namespace rtsim
