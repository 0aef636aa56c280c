#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "shapes/motion.h"
#include "support/running.h"

using namespace rtsim;

namespace {

// A block of water at rest, 10 cm a side in cells of 1 cm, and one stage that removes.
Running block(const std::string& shape, const std::string& more = "", int dim = 3,
              int threads = 1) {
  const char* box = dim == 3 ? R"("min": [0, 0, 0], "max": [0.1, 0.1, 0.1])"
                             : R"("min": [0, 0], "max": [0.1, 0.1])";
  return Running(fmt::format(R"({{ "rtsim": 1, "dim": {},
  "time": {{ "dt": 0.01, "steps_per_frame": 1, "frames": 100 }},
  "objects": [ {{ "name": "water", "kind": "particles", "spacing": 0.01,
    "fill": {{ "box": {{ {} }} }} }} ],
  "stages": [ {{ "type": "remove", "fluid": "water", "shape": {{ {} }}{} }} ] }})",
                             dim, box, shape, more),
                 Exec::cpu(threads));
}

// Which ids should be left, by the distance of each in double. No particle lies on a surface.
std::vector<std::uint32_t> survivors(const ShapeSpec& spec, bool outside, const Pose& pose = {}) {
  const auto shape = make_shape(spec, 3);
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Vec3d x{
        {0.005 + 0.01 * (i % 10), 0.005 + 0.01 * (i / 10 % 10), 0.005 + 0.01 * (i / 100)}};
    if ((shape->distance(pose.to_local(x)) < 0) == outside) left.push_back(i);
  }
  return left;
}

std::vector<std::uint32_t> ids(Running& r) {
  return r.world().table("water").download<std::uint32_t>("id");
}

}  // namespace

TEST_CASE("remove: inside or outside, boxes, planes and others take just what is there, in order") {
  const auto check = [](const std::string& text, const ShapeSpec& spec) {
    INFO(text);
    Running in = block(text), out = block(text, R"(, "outside": true)");
    in.advance(1), out.advance(1);
    CHECK(ids(in) == survivors(spec, false));
    CHECK(ids(out) == survivors(spec, true));
    CHECK(in.measure("water.removed") + double(ids(in).size()) == 1000);
    CHECK(ids(in).size() + ids(out).size() == 1000);
    CHECK((!ids(in).empty() && !ids(out).empty()));
  };
  ShapeSpec box;
  box.box = BoxSpec{{{0.02, 0.03, -1}}, {{0.06, 0.2, 0.05}}};
  check(R"("box": {"min": [0.02, 0.03, -1], "max": [0.06, 0.2, 0.05]})", box);
  ShapeSpec plane;
  plane.plane = PlaneSpec{{{0.033, 0.04, 0}}, {{1, 2, -1}}};
  check(R"("plane": {"point": [0.033, 0.04, 0], "normal": [1, 2, -1]})", plane);
  ShapeSpec sphere;
  sphere.sphere = SphereSpec{{{0.05, 0.05, 0}}, 0.04};
  check(R"("sphere": {"centre": [0.05, 0.05, 0], "radius": 0.04})", sphere);
  ShapeSpec tank = box;
  tank.inside = true;
  check(R"("box": {"min": [0.02, 0.03, -1], "max": [0.06, 0.2, 0.05]}, "inside": true)", tank);
  ShapeSpec turned = box;
  turned.transform.angle = 20;
  check(R"("box": {"min": [0.02, 0.03, -1], "max": [0.06, 0.2, 0.05]}, "transform": {"angle": 20})",
        turned);
}

TEST_CASE("remove: a region that moves is looked at where it is at the end of the step") {
  MotionSpec motion;
  motion.velocity = {{1, 0.5, 0}};
  motion.spin = 20;
  motion.centre = {{0.02, 0.02, 0}};
  const char* text =
      R"(, "motion": {"velocity": [1, 0.5, 0], "spin": 20, "centre": [0.02, 0.02, 0]})";
  ShapeSpec box;
  box.box = BoxSpec{{{0, 0, -1}}, {{0.043, 0.0271, 1}}};
  Running r = block(R"("box": {"min": [0, 0, -1], "max": [0.043, 0.0271, 1]})", text);
  r.advance(1);
  CHECK(ids(r) == survivors(box, false, pose_at(motion, 0.01)));
  CHECK(ids(r).size() < 1000);
}

TEST_CASE("remove: in the plane, down to nothing") {
  Running r = block(R"("plane": {"normal": [0, 1]})", R"(, "motion": {"velocity": [0, 1]})", 2);
  for (Index layers = 9; layers >= 0; --layers) {
    r.advance(1);
    CHECK(r.world().table("water").rows() == 10 * layers);
  }
  r.advance(3);
  CHECK(r.measure("water.removed") == 100);
}

TEST_CASE("remove: what is not finite stays, for the run to find") {
  for (const char* shape : {R"("box": {"min": [0, 0, 0], "max": [0.1, 0.1, 0.1]})",
                            R"("sphere": {"centre": [0, 0, 0], "radius": 1})"})
    for (const char* side : {R"(, "outside": true)", ""}) {
      Running r = block(shape, side);
      auto x = r.world().table("water").download<Vec<3>>("position");
      x[17][1] = std::numeric_limits<Real>::quiet_NaN();
      r.world().exec.upload(r.world().table("water").column<Vec<3>>("position").data, x.data(),
                            x.size() * sizeof x[0]);
      r.advance(1);
      const std::vector<std::uint32_t> left = ids(r);
      CHECK(std::count(left.begin(), left.end(), 17u) == 1);
    }
}

TEST_CASE("remove: the same rows are left for any number of threads") {
  const auto hash = [](int threads) {
    Running r = block(R"("sphere": {"centre": [0.05, 0.05, 0], "radius": 0.04})", "", 3, threads);
    r.advance(3);
    return r.world().state_hash();
  };
  CHECK(hash(1) == hash(2));
  CHECK(hash(1) == hash(5));
}
