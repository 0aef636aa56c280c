#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "shapes/motion.h"
#include "shapes/shape.h"
#include "support/sliding_points.h"
#include "support/temporary_folder.h"
#include "unit/shapes_support.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// Solids about the origin that reach about 0.5 m, each as the scene has it.
const char* solids[] = {
    R"({"plane": {"point": [0, 0.3, 0], "normal": [0.3, 1, 0]}})",
    R"({"sphere": {"centre": [0, 0, 0], "radius": 0.5}})",
    R"({"box": {"min": [-0.5, -0.3, -0.5], "max": [0.5, 0.3, 0.5]}})",
    R"({"box": {"min": [-0.5, -0.01, -0.5], "max": [0.5, 0.01, 0.5]}})",
    R"({"capsule": {"a": [-0.3, 0, 0], "b": [0.3, 0.1, 0], "radius": 0.2}})",
    R"({"cylinder": {"a": [-0.4, 0, 0], "b": [0.4, 0.2, 0], "radius": 0.3}})",
    R"({"ellipsoid": {"centre": [0, 0, 0], "radii": [0.5, 0.2, 0.4]}})",
    R"({"mesh": {"file": "configs/smoke/ball.obj"}, "transform": {"scale": 0.5, "axis": [0, 1, 1], "angle": 40}})",
    R"({"difference": [{"box": {"min": [-0.5, -0.3, -0.5], "max": [0.5, 0.3, 0.5]}}, {"sphere": {"centre": [0, 0.3, 0], "radius": 0.3}}]})",
    R"({"union": [{"sphere": {"centre": [-0.3, 0, 0], "radius": 0.25}}, {"sphere": {"centre": [0.3, 0, 0], "radius": 0.25}}]})"};

// A 7 x 7 field of points above, in rows along x and z.
std::string field(double height) {
  std::string at;
  for (int i = -3; i <= 3; ++i)
    for (int k = -3; k <= 3; ++k)
      at += fmt::format("{}[{}, {}, {}]", at.empty() ? "" : ", ", 0.1 * i + 0.013, height,
                        0.1 * k - 0.007);
  return at;
}

struct Meeting {
  std::string solid;
  std::string motion = "{}";
  std::string velocity = "[0, 0, 0]";
  double thickness = 0.005;

  Running run(double height, double dt, int substeps) const {
    Points s;
    s.at = field(height), s.velocity = velocity, s.dt = dt, s.substeps = substeps;
    s.boundaries = fmt::format(
        R"(, {{"name": "solid", "kind": "boundary", "shape": {}, "motion": {}}})", solid, motion);
    s.names = R"("solid")";
    s.more = fmt::format(R"(, "thickness": {}, "friction": 0.3)", thickness);
    return s.run();
  }
};

// Distances of all points from the solid, where it is at the time.
std::vector<double> gaps(Running& r) {
  const auto& spec = *r.scene.objects.back().as<BoundarySpec>();
  const auto shape = make_shape(spec.shape, 3);
  const Pose pose = pose_at(spec.motion, r.time());
  std::vector<double> d;
  for (const Vec3d& x : positions(r)) d.push_back(shape->distance(pose.to_local(x)));
  return d;
}

double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }

}  // namespace

TEST_CASE("contact: nothing that falls on a solid enters it") {
  for (const char* solid : solids) {
    INFO(solid);
    Running r = Meeting{solid}.run(0.9, 0.02, 4);
    for (int k = 0; k < 50; ++k) {
      r.advance(1);
      // A thousandth of the thickness, and what a float rounds a metre to.
      CHECK(least(gaps(r)) > 0.005 * (1 - 2e-3) - 1e-6);
    }
  }
}

TEST_CASE("contact: at any speed points that fall on a solid end outside of it") {
  for (const char* solid : solids)
    for (const double speed : {1e1, 1e3, 1e5}) {
      INFO(solid << " at " << speed << " m/s");
      Running r = Meeting{solid, "{}", fmt::format("[0, {}, 0]", -speed)}.run(0.9, 0.02, 1);
      r.advance(1);
      CHECK(least(gaps(r)) > 0.005 * (1 - 2e-3) - 1e-6);
    }
}

// Behind a wall there is nothing but wall: whoever passes it is found inside.
TEST_CASE("contact: at any speed points stay in a room, whatever its shape") {
  for (std::string solid : solids) {
    if (solid.find("plane") != std::string::npos) continue;
    const auto room = solid.substr(0, solid.size() - 1) + R"(, "inside": true})";
    INFO(room);
    Running probe = Meeting{solid}.run(0.9, 0.02, 1);
    const auto shape = make_shape(probe.scene.objects.back().as<BoundarySpec>()->shape, 3);
    std::string at;
    for (const Vec3d& x : scatter(300, 0.5))
      if (shape->distance(x) < -0.006)
        at += fmt::format("{}[{}, {}, {}]", at.empty() ? "" : ", ", x[0], x[1], x[2]);
    Points s;
    s.at = at;
    s.boundaries = fmt::format(R"(, {{"name": "room", "kind": "boundary", "shape": {}}})", room);
    s.names = R"("room")", s.more = R"(, "thickness": 0.005, "friction": 0.3)";
    s.substeps = 1;
    for (const double speed : {1e1, 1e3, 1e5}) {
      Running r = s.run();
      const auto ways = scatter(int(r.world().table("mesh").rows()), speed);
      const auto v = r.world().table("mesh").column<Vec<3>>("velocity");
      for (Index i = 0; i < v.size; ++i) v[i] = narrow<3>(ways[std::size_t(i)]);
      for (int k = 0; k < 5; ++k) {
        r.advance(1);
        REQUIRE(least(gaps(r)) > 0);
      }
    }
  }
}

TEST_CASE("contact: a solid that passes through in one step takes the points along") {
  for (const char* solid : solids) {
    INFO(solid);

    // From below them to far above within a step of 10 ms, in two substeps.
    Meeting m{solid, R"({"velocity": [0, 300, 0]})"};
    Running r = m.run(0.9, 0.01, 2);
    const auto before = positions(r);
    r.advance(1);
    const auto after = positions(r);
    CHECK(least(gaps(r)) > 0.005 * (1 - 2e-3) - 1e-5);
    const auto shape = make_shape(r.scene.objects.back().as<BoundarySpec>()->shape, 3);
    int taken = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      // The gap to the solid along the way that it came.
      double nearest = 1;
      for (double y = -2; y < 2; y += 0.0025)
        nearest = std::min(nearest, shape->distance({{before[i][0], y, before[i][2]}}));
      if (nearest < 0) {
        ++taken;
        CHECK(norm(after[i] - before[i]) > 0.05);
      }
    }
    CHECK(taken > 5);
  }
}

TEST_CASE("contact: a solid that spins on takes the points along, or leaves them clear") {
  for (const char* solid : solids) {
    if (std::string(solid).find("plane") != std::string::npos) continue;
    INFO(solid);
    Meeting m{solid, R"({"spin": 30, "spin_axis": [0, 0, 1]})"};
    Running r = m.run(0.8, 0.005, 2);
    for (int k = 0; k < 60; ++k) {
      r.advance(1);
      CHECK(least(gaps(r)) > 0.005 * (1 - 2e-3) - 1e-5);
    }
  }
}

TEST_CASE("contact: what starts inside is moved out at the rate of recovery, without a pop") {
  Points s;
  s.at = "[0, 0.45, 0], [0.01, 0.3, 0.02]";
  s.boundaries =
      R"(, {"name": "ball", "kind": "boundary", "shape": {"sphere": {"centre": [0, 0, 0], "radius": 0.5}}})";
  s.names = R"("ball")";
  s.more = R"(, "thickness": 0.01, "recovery": 0.5)";
  s.gravity = "[0, 0, 0]";
  Running r = s.run();
  double depth[2] = {0.5 - 0.45, 0.5 - std::sqrt(0.09 + 0.0005)};
  for (int k = 1; k <= 60; ++k) {
    r.advance(1);
    const auto x = positions(r), v = velocities(r);
    for (int i = 0; i < 2; ++i) {
      CHECK(norm(x[i]) - 0.5 == Approx(std::min(0.01, 0.005 * k - depth[i])).margin(3e-5));
      CHECK(norm(v[i]) < 1e-3);
    }
  }
}

TEST_CASE("contact: in a tank points stay inside, in edges and corners too") {
  Points s;
  s.at = field(0.0);
  s.velocity = "[3, 2, -5]";
  s.boundaries =
      R"(, {"name": "tank", "kind": "boundary", "shape": {"box": {"min": [-0.4, -0.4, -0.4], "max": [0.4, 0.4, 0.4]}, "inside": true}})";
  s.names = R"("tank")";
  s.more = R"(, "thickness": 0.005, "friction": 0.1, "restitution": 0.5)";
  Running r = s.run();
  for (int k = 0; k < 100; ++k) {
    r.advance(1);
    double far = 0;
    for (const Vec3d& x : positions(r))
      for (int a = 0; a < 3; ++a) far = std::max(far, std::abs(x[a]));
    REQUIRE(far < 0.395 + 1e-5);
  }
}

TEST_CASE("contact: an open mesh has two sides, and is passed from neither") {
  const TemporaryFolder folder;
  const std::string file = (folder.path / "leaf.obj").string();
  std::ofstream(file) << "v -1 0 -1\nv 1 0 -1\nv 1 0.2 1\nv -1 0 1\nf 1 2 3\nf 1 3 4\n";
  const std::string leaf = fmt::format(R"({{"mesh": {{"file": "{}"}}}})", file);
  for (const double side : {-1.0, 1.0}) {
    Running r =
        Meeting{leaf, "{}", fmt::format("[0, {}, 0]", -1000 * side)}.run(0.5 * side, 0.01, 1);
    r.advance(3);
    CHECK(least(gaps(r)) > 0.005 * (1 - 2e-3) - 1e-6);
    for (const Vec3d& x : positions(r)) CHECK((x[1] - 0.1) * side > -0.12);
  }
}

TEST_CASE("contact: points come to rest on terrain") {
  Points s;
  s.at = field(0.9);
  s.boundaries =
      R"(, {"name": "valley", "kind": "boundary", "shape": {"height_map": {"file": "configs/shallow_water/valley.png", "min": [-1, -0.3, -1], "max": [1, 0.3, 1]}}})";
  s.names = R"("valley")";
  s.more = R"(, "thickness": 0.005, "friction": 1)";
  Running r = s.run();
  r.advance(100);
  const auto d = gaps(r);
  CHECK(least(d) > 0.005 * (1 - 2e-3) - 1e-6);
  CHECK(*std::ranges::max_element(d) < 0.01);
}
