#include "bodies/add_bodies.h"

#include <cmath>
#include <numeric>

#include "rigid/body.h"

namespace rtsim {

namespace {

rigid::Orientation<3> kept(const std::array<double, 4>& q, rigid::Orientation<3>*) {
  return {{Real(q[0]), Real(q[1]), Real(q[2]), Real(q[3])}};
}
// A turn by t about z is (0, 0, sin t/2, cos t/2).
rigid::Orientation<2> kept(const std::array<double, 4>& q, rigid::Orientation<2>*) {
  return {{Real(q[3] * q[3] - q[2] * q[2]), Real(2 * q[2] * q[3])}};
}

rigid::Angular<3> about(const Vec3d& v, rigid::Angular<3>*) { return narrow<3>(v); }
rigid::Angular<2> about(const Vec3d& v, rigid::Angular<2>*) { return {{Real(v[2])}}; }

template <int D>
void add(World& world, const std::string& name, const BodySet& set,
         const std::vector<BodyStart>& bodies) {
  using Angular = rigid::Angular<D>;
  using Orientation = rigid::Orientation<D>;
  const std::size_t n = bodies.size();
  std::vector<Vec<D>> position(n), velocity(n);
  std::vector<Orientation> orientation(n);
  std::vector<Angular> angular_velocity(n), inertia(n);
  std::vector<Real> mass(n);
  std::vector<std::int32_t> shape(n);
  std::vector<std::uint32_t> id(n);
  for (std::size_t i = 0; i < n; ++i) {
    const BodyStart& b = bodies[i];
    position[i] = narrow<D>(b.position), velocity[i] = narrow<D>(b.velocity);
    orientation[i] = kept(b.orientation, static_cast<Orientation*>(nullptr));
    angular_velocity[i] = about(b.angular_velocity, static_cast<Angular*>(nullptr));
    inertia[i] =
        about(b.mass * set.shapes[std::size_t(b.shape)].moments, static_cast<Angular*>(nullptr));
    mass[i] = Real(b.mass), shape[i] = b.shape;
  }
  std::iota(id.begin(), id.end(), world.take_ids(Index(n)));
  Table& t = world.add_table(name, Index(n));
  t.add<Vec<D>>({"position", "m"}, position);
  t.add<Orientation>({"orientation", ""}, orientation);
  t.add<Vec<D>>({"velocity", "m/s"}, velocity);
  t.add<Angular>({"angular_velocity", "rad/s"}, angular_velocity);
  t.add<Real>({"mass", "kg"}, mass);
  t.add<Angular>({"inertia", "kg m^2"}, inertia);
  t.add<std::int32_t>({"shape", ""}, shape);
  t.add<Vec<D>>({"force", "N"});
  t.add<Angular>({"torque", "N m"});
  t.add<std::uint32_t>({"id", ""}, id);
}

}  // namespace

void add_bodies(World& world, const std::string& name, const BodySet& set,
                const std::vector<BodyStart>& bodies) {
  world.dim == 2 ? add<2>(world, name, set, bodies) : add<3>(world, name, set, bodies);
}

}  // namespace rtsim
