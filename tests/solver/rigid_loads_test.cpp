#include <catch2/catch.hpp>
#include <limits>

#include "bodies/contacts/rigid_contacts.h"
#include "bodies/joints/rigid_joints.h"
#include "support/joined.h"
#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

using Pair = VecT<std::int32_t, 2>;

// Forces [N] on each body by what a frame shows of contacts.
std::vector<Vec3d> contact_forces(Running& r, std::size_t bodies) {
  before_frame(r.sim);
  Table& t = r.world().table(contact_table("b"));
  const auto pairs = t.download<Pair>("bodies");
  const auto force = t.download<Vec<3>>("force");
  std::vector<Vec3d> all(bodies);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs[k][0] >= 0)
      all[std::size_t(pairs[k][0])] = all[std::size_t(pairs[k][0])] - widen(force[k]);
    if (pairs[k][1] >= 0)
      all[std::size_t(pairs[k][1])] = all[std::size_t(pairs[k][1])] + widen(force[k]);
  }
  return all;
}

// Whether contacts and weight make up each body's change of momentum, in every step. Each of some
// ten additions a substep rounds velocities by half an epsilon of themselves.
void check_momentum(Floor& r, int steps) {
  show(r.sim, contact_table("b"));
  const auto mass = r.world().table("b").download<Real>("mass");
  const Vec3d gravity{{r.world().gravity[0], r.world().gravity[1], r.world().gravity[2]}};
  std::vector<Vec3d> before = r.all("velocity");
  double pressed = 0;
  for (int n = 0; n < steps; ++n) {
    r.advance(1);
    const std::vector<Vec3d> after = r.all("velocity"), force = contact_forces(r, mass.size());
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const double size =
          norm(before[i]) + norm(after[i]) + g * r.dt() + norm(force[i]) * r.dt() / double(mass[i]);
      const Vec3d off =
          (1 / r.dt()) * (after[i] - before[i]) - gravity - (1 / double(mass[i])) * force[i];
      pressed = std::max(pressed, norm(force[i]));
      CAPTURE(n, i, off[0], off[1], off[2], size, force[i][1]);
      REQUIRE(norm(off) < 50 * double(std::numeric_limits<Real>::epsilon()) * size / r.dt());
    }
    before = after;
  }
  CHECK(pressed > 0);
}

}  // namespace

TEST_CASE("rigid_loads: forces of contacts and weight are what changes momentum") {
  SECTION("cubes that land on one another and rest") {
    Floor r(3, box(0, 0.6, 0.5) + ", " + box(0.2, 1.7, 0.5), "", 1.0 / 60);
    check_momentum(r, 60);
  }
  SECTION("a block that slides and one that holds on a slope") {
    Floor r(3, box(0, 0.1, 0.1) + ", " + box(1, 0.1, 0.1, R"(, "material": {"friction": 0.1})"),
            R"(, "friction": 0.6)", 1.0 / 120, pi / 9);
    check_momentum(r, 60);
  }
  SECTION("balls that bounce, spin and roll") {
    Floor r(3,
            ball(0, 0.5, 0.1, R"(, "angular_velocity": [5, 0, -20])") + ", " +
                ball(0.05, 0.8, 0.1, R"(, "velocity": [0, -3, 0])"),
            R"(, "restitution": 0.8, "rolling_resistance": 0.01)", 1.0 / 240);
    check_momentum(r, 240);
  }
}

TEST_CASE("rigid_loads: the moment of a contact is what stops a ball that spins on the spot") {
  // About the normal friction has no arm: the moment alone slows it, by b m g of the torque.
  const double arm = 0.01, radius = 0.2;
  Floor r(3, ball(0, radius, radius, R"(, "angular_velocity": [0, 10, 0])"),
          fmt::format(R"(, "rolling_resistance": {})", arm), 1.0 / 240);
  Table& t = r.world().table(contact_table("b"));
  show(r.sim, contact_table("b"));
  r.advance(60);
  const double before = r.all("angular_velocity")[0][1];
  r.advance(1);
  before_frame(r.sim);
  const auto mass = double(r.world().table("b").download<Real>("mass")[0]);
  const auto inertia = double(r.world().table("b").download<Vec<3>>("inertia")[0][1]);
  const double slowed = (r.all("angular_velocity")[0][1] - before) / r.dt() * inertia;
  const auto moment = t.download<Vec<3>>("moment");
  REQUIRE(moment.size() == 1);
  // It acts on the ground, which is the second.
  CHECK(double(moment[0][1]) == Approx(arm * mass * g).epsilon(1e-3));
  CHECK(-double(moment[0][1]) == Approx(slowed).epsilon(1e-3));
}

TEST_CASE("rigid_loads: nothing is computed for frames that no output shows") {
  Floor r(3, box(0, 0.5, 0.5), "", 1.0 / 60);
  r.advance(2);
  before_frame(r.sim);
  CHECK(r.world().table(contact_table("b")).rows() == 0);
  show(r.sim, contact_table("b"));
  r.advance(1);
  before_frame(r.sim);
  CHECK(r.world().table(contact_table("b")).rows() == 4);
}

TEST_CASE("rigid_loads: a joint's mean force and weight are what changes a bob's momentum") {
  // Float rounds velocities of up to 5 m/s by 3e-7 an addition, and positions keep what they round.
  for (const char* kind : {"ball", "hinge"}) {
    Joined r(
        3, "[0, -9.81, 0]",
        R"({"name": "bob", "mass": 2, "shape": {"sphere": {"centre": [1, 0, 0], "radius": 0.1}}})",
        fmt::format(R"({{"kind": "{}", "a": "bob", "at": [0, 0, 0], "axis": [0, 0, 1]}})", kind),
        1.0 / 240);
    Table& t = r.world().table(joint_table("b"));
    show(r.sim, joint_table("b"));
    Vec3d before;
    for (int n = 0; n < 240; ++n) {
      r.advance(1);
      before_frame(r.sim);
      const Vec3d v = r.at("velocity"), f = t.download<Vec3d>("force")[0];
      const Vec3d off = (1 / r.dt()) * (v - before) - Vec3d{{0, -g, 0}} - 0.5 * f;
      CAPTURE(kind, n, off[0], off[1], off[2]);
      REQUIRE(norm(off) < 50 * double(std::numeric_limits<Real>::epsilon()) * 10 / r.dt());
      REQUIRE(norm(t.download<Vec3d>("position")[0]) < 1e-5);
      REQUIRE(std::abs(t.download<Vec3d>("torque")[0][2]) < 1e-6);
      before = v;
    }
    CHECK(t.download<Pair>("bodies")[0] == Pair{{-1, 0}});
  }
}

TEST_CASE("rigid_loads: the joint of a cantilever bears its weight and its moment") {
  // 2 kg at an arm of 1 m.
  Joined r(
      3, "[0, -9.81, 0]",
      R"({"name": "bob", "mass": 2, "shape": {"sphere": {"centre": [1, 0, 0], "radius": 0.1}}})",
      R"({"kind": "fixed", "a": "bob", "at": [0, 0, 0]})", 1.0 / 240);
  Table& t = r.world().table(joint_table("b"));
  show(r.sim, joint_table("b"));
  r.advance(60);
  before_frame(r.sim);
  const Vec3d force = t.download<Vec3d>("force")[0], torque = t.download<Vec3d>("torque")[0];
  CHECK(force[1] == Approx(2 * g).epsilon(1e-4));
  CHECK(torque[2] == Approx(2 * g * 1).epsilon(1e-4));
  CHECK(std::hypot(force[0], torque[0]) < 1e-3);
}

TEST_CASE("rigid_loads: the motor of a hinge is the torque of its joint") {
  // A bob at rest, held level by a motor that stands still.
  Joined r(
      3, "[0, -9.81, 0]",
      R"({"name": "bob", "mass": 2, "shape": {"sphere": {"centre": [1, 0, 0], "radius": 0.1}}})",
      R"({"kind": "hinge", "a": "bob", "at": [0, 0, 0], "axis": [0, 0, 1],
               "motor": {"speed": 0, "strength": 100}})",
      1.0 / 240);
  Table& t = r.world().table(joint_table("b"));
  show(r.sim, joint_table("b"));
  r.advance(60);
  before_frame(r.sim);
  CHECK(t.download<Vec3d>("drive")[0][0] == Approx(2 * g).epsilon(1e-4));
  CHECK(t.download<Vec3d>("torque")[0][2] == Approx(2 * g).epsilon(1e-4));
  CHECK(std::abs(t.download<Vec3d>("coordinate")[0][0]) < 1e-4);
}
