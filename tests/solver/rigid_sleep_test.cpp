#include <algorithm>
#include <catch2/catch.hpp>

#include "exec/profile.h"
#include "support/rigid_floor.h"

using namespace rtsim;

namespace {

const char* sleeps = R"(, "sleep_after": 0.5)";
// A row of three boxes side by side on the floor, and one far away.
std::string row() {
  return box(0, 0.5, 0.5) + ", " + box(1, 0.5, 0.5) + ", " + box(2, 0.5, 0.5) + ", " +
         box(10, 0.5, 0.5);
}

}  // namespace

TEST_CASE("rigid_sleep: what has been still for long enough sleeps, and keeps its place") {
  for (const int dim : {2, 3}) {
    const std::string block =
        dim == 3 ? box(0, 0.5, 0.5) : R"({"shape": {"box": {"min": [-0.5, 0], "max": [0.5, 1]}}})";
    Floor r(dim, block, sleeps, 1.0 / 60);
    r.advance(29);
    CHECK(r.measure("b.asleep") == 0);
    r.advance(30);
    CHECK(r.measure("b.asleep") == 1);
    const auto x = r.all("position");
    r.advance(60);
    CHECK(r.all("position") == x);
    CHECK(r.measure("b.kinetic_energy") == 0);
  }
}

TEST_CASE("rigid_sleep: an island sleeps and wakes as one; others sleep on") {
  Floor r(3, row(), sleeps, 1.0 / 60);
  r.advance(60);
  REQUIRE(r.measure("b.asleep") == 4);
  auto force = r.world().table("b").download<Vec<3>>("force");
  force[2] = {{10, 0, 0}};
  r.world().exec.upload(r.world().table("b").column<Vec<3>>("force").data, force.data(),
                        force.size() * sizeof force[0]);
  r.advance(1);
  CHECK(r.measure("b.asleep") == 1);
  r.advance(60);
  CHECK(r.measure("b.asleep") == 4);
}

// But for the look at who was pushed, which goes through all of them.
TEST_CASE("rigid_sleep: a step goes through those that are awake, and their neighbours in memory") {
  constexpr int bodies = 400;
  std::string all = box(-5, 0.5, 0.5);
  for (int k = 1; k < bodies; ++k) all += ", " + box(2 * k, 0.5, 0.5);
  Floor r(3, all, sleeps, 1.0 / 60);
  r.advance(60);
  REQUIRE(r.measure("b.asleep") == bodies);
  const auto most_rows = [&] {
    Profile& profile = r.world().exec.profile();
    profile.clear();
    r.advance(1);
    std::uint64_t most = 0;
    for (const Profile::Row& row : profile.rows())
      if (std::string(row.label) != "rigid.pushed") most = std::max(most, row.rows / row.launches);
    return most;
  };
  r.advance(2);
  CHECK(most_rows() <= 16);  // the boundary's, which stands behind the last body's
  auto velocity = r.world().table("b").download<Vec<3>>("velocity");
  velocity[0] = {{-1, 0, 0}};
  r.world().exec.upload(r.world().table("b").column<Vec<3>>("velocity").data, velocity.data(),
                        velocity.size() * sizeof velocity[0]);
  r.advance(3);
  CHECK(r.measure("b.asleep") == bodies - 1);
  CHECK(most_rows() <= 24);
  CHECK(r.all("position")[0][0] < -5.01);
}

TEST_CASE("rigid_sleep: all wake when gravity changes") {
  Floor r(3, row(), sleeps, 1.0 / 60);
  r.advance(60);
  REQUIRE(r.measure("b.asleep") == 4);
  r.world().gravity = {g, -g, 0};  // an incline of 45 degrees, where friction holds half
  r.advance(30);
  CHECK(r.measure("b.asleep") == 0);
  CHECK(r.all("velocity")[3][0] == Approx(0.5 * g * 0.5).epsilon(0.02));
}

TEST_CASE("rigid_sleep: a ball that hits a sleeping row moves it as it would one that is awake") {
  double moved[2];
  for (const bool sleep : {false, true}) {
    Floor r(3, row() + R"(, {"shape": {"sphere": {"centre": [-6, 0.5, 0], "radius": 0.5}},
                          "velocity": [4, 0, 0]})",
            sleep ? sleeps : "", 1.0 / 60);
    r.advance(60);
    if (sleep) CHECK(r.measure("b.asleep") == 4);
    r.advance(120);
    moved[sleep] = r.all("position")[2][0] - 2;
    CHECK(moved[sleep] > 0.01);
  }
  // Awake rows settle by less than a millimetre in the second before.
  CHECK(moved[1] == Approx(moved[0]).margin(2e-3));
}

TEST_CASE("rigid_sleep: a pile that wakes has the impulses that it had") {
  // Without them its boxes would fall by g h^2 = 0.17 mm in a substep and sink a millimetre.
  Floor r(3, column_of(10, 0), sleeps, 1.0 / 60);
  r.advance(600);
  REQUIRE(r.measure("b.asleep") == 10);
  const double top = r.all("position")[9][1];
  auto force = r.world().table("b").download<Vec<3>>("force");
  force[0] = {{1e-3, 0, 0}};
  r.world().exec.upload(r.world().table("b").column<Vec<3>>("force").data, force.data(),
                        force.size() * sizeof force[0]);
  for (int n = 0; n < 10; ++n) {
    r.advance(1);
    CHECK(r.all("position")[9][1] == Approx(top).margin(1e-5));
  }
}

TEST_CASE("rigid_sleep: islands sleep and wake at the same steps with any number of threads") {
  std::uint64_t hash[2];
  for (const int threads : {1, 3}) {
    Floor r(3, column_of(5, 0.01) + ", " + ball(-6, 3, 0.5, R"(, "velocity": [3, 4, 0])"), sleeps,
            1.0 / 60, 0, g, threads);
    r.advance(200);
    hash[threads / 2] = r.world().state_hash();
  }
  CHECK(hash[0] == hash[1]);
}
