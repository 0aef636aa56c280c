#include <catch2/catch.hpp>
#include <limits>

#include "base/quaternion.h"
#include "bodies/contacts/rigid_contacts.h"
#include "rigid/motion/inverse_inertia.h"
#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

constexpr double epsilon = std::numeric_limits<Real>::epsilon();

// R I R^T w of each body.
std::vector<Vec3d> spins(Floor& r) {
  Table& t = r.world().table("b");
  const auto q = t.download<rigid::Orientation<3>>("orientation");
  const auto w = t.download<Vec<3>>("angular_velocity"), moments = t.download<Vec<3>>("inertia");
  std::vector<Vec3d> all;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const VecT<double, 4> turn{
        {double(q[i][0]), double(q[i][1]), double(q[i][2]), double(q[i][3])}};
    Vec3d own = turned(back(turn), widen(w[i]));
    for (int a = 0; a < 3; ++a) own[a] *= double(moments[i][a]);
    all.push_back(turned(turn, own));
  }
  return all;
}

struct Torques {
  std::vector<Vec3d> sum;
  std::vector<double> size;  // of what they are the sum of
};
// [N m] on each body about its centre, by what a frame shows.
Torques contact_torques(Floor& r, std::size_t bodies) {
  before_frame(r.sim);
  Table& t = r.world().table(contact_table("b"));
  const auto pairs = t.download<VecT<std::int32_t, 2>>("bodies");
  const auto force = t.download<Vec<3>>("force"), moment = t.download<Vec<3>>("moment");
  const auto first = t.download<Vec<3>>("arm_first"), second = t.download<Vec<3>>("arm_second");
  Torques all{std::vector<Vec3d>(bodies), std::vector<double>(bodies)};
  const auto add = [&](std::int32_t body, double sign, const Vec<3>& arm, std::size_t k) {
    if (body < 0) return;
    const auto b = std::size_t(body);
    all.sum[b] = all.sum[b] + sign * (cross(widen(arm), widen(force[k])) + widen(moment[k]));
    all.size[b] += norm(widen(arm)) * norm(widen(force[k]));
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    add(pairs[k][0], -1, first[k], k);
    add(pairs[k][1], 1, second[k], k);
  }
  return all;
}

// Whether they make up each body's change of angular momentum in every step. Each of some ten
// additions in four substeps rounds it by half an epsilon, and so does each of some ten products by
// inertias that are turned.
constexpr double allowed = 50 * epsilon;
void check_torques(Floor& r, int steps) {
  show(r.sim, contact_table("b"));
  std::vector<Vec3d> before = spins(r);
  double turned = 0;
  for (int n = 0; n < steps; ++n) {
    r.advance(1);
    const std::vector<Vec3d> after = spins(r);
    const Torques torques = contact_torques(r, after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double size = norm(before[i]) + norm(after[i]) + r.dt() * torques.size[i];
      const Vec3d off = after[i] - before[i] - r.dt() * torques.sum[i];
      turned = std::max(turned, norm(after[i] - before[i]) / size);
      CAPTURE(n, i, norm(off) / size, norm(after[i] - before[i]) / size);
      REQUIRE(norm(off) <= allowed * size);
    }
    before = after;
  }
  CHECK(turned > 1000 * allowed);  // there is something to balance
}

}  // namespace

TEST_CASE("rigid_torques: of contacts are what changes angular momentum") {
  SECTION("a ball that slides, then rolls and is held back") {
    Floor r(3, ball(0, 0.1, 0.1, R"(, "velocity": [3, 0, 1], "angular_velocity": [5, 10, -20])"),
            R"(, "rolling_resistance": 0.002)", 1.0 / 60);
    check_torques(r, 60);
  }
  SECTION("cubes that fall on one another off their middles and tumble") {
    Floor r(3,
            box(0, 0.6, 0.5) + ", " +
                box(0.4, 1.7, 0.5, R"(, "angular_velocity": [1, 2, 3], "velocity": [0, 0, 1])"),
            "", 1.0 / 60);
    check_torques(r, 60);
  }
  SECTION("balls that bounce and spin") {
    Floor r(3,
            ball(0, 0.5, 0.1, R"(, "angular_velocity": [5, 0, -20])") + ", " +
                ball(0.05, 0.8, 0.1, R"(, "velocity": [0, -3, 0])"),
            R"(, "restitution": 0.8)", 1.0 / 240);
    check_torques(r, 240);
  }
}
