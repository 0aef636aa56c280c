#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "param/json_reader.h"
#include "shapes/motion.h"
#include "shapes/shape.h"

using namespace rtsim;

namespace {

template <class T>
struct Reading {
  T spec;
  std::string problems;

  explicit Reading(const char* text, int dim = 3) {
    ReadLog log;
    log.dim = dim;
    log.folder = "/scenes";
    read_json(nlohmann::json::parse(text), "", log, [&](Describe& d) { describe(d, spec); });
    for (const Problem& p : log.problems)
      problems += (problems.empty() ? "" : "\n") + p.pointer + ": " + p.message;
  }
};

std::string shape_problems(const char* text, int dim = 3) {
  return Reading<ShapeSpec>(text, dim).problems;
}
std::string motion_problems(const char* text, int dim = 3) {
  return Reading<MotionSpec>(text, dim).problems;
}

}  // namespace

TEST_CASE("shapes: every shape is read from its key") {
  for (const char* text : {R"({"box": {"min": [0,0,0], "max": [1,1,1]}, "inside": true})",
                           R"({"sphere": {"centre": [0,0,0], "radius": 1}})", R"({"plane": {}})",
                           R"({"capsule": {"a": [0,0,0], "b": [0,0,0], "radius": 1}})",
                           R"({"cylinder": {"a": [0,0,0], "b": [0,1,0], "radius": 1}})",
                           R"({"ellipsoid": {"centre": [0,0,0], "radii": [1,2,3]}})"})
    CHECK(shape_problems(text) == "");
  CHECK(shape_problems(R"({"polygon": {"points": [[0,0],[1,0],[0,1]]}})", 2) == "");
  const Reading<ShapeSpec> mesh(
      R"({"mesh": {"file": "a.obj"}, "transform": {"scale": 1e-3, "angle": 90}})");
  CHECK(mesh.problems == "");
  REQUIRE(mesh.spec.mesh);
  CHECK(mesh.spec.mesh->file.path == "/scenes/a.obj");
  CHECK(mesh.spec.transform.scale == 1e-3);
}

TEST_CASE("shapes: combinations hold shapes that hold shapes") {
  const Reading<ShapeSpec> r(R"({"difference": [
      {"box": {"min": [0,0,0], "max": [2,2,2]}},
      {"union": [{"sphere": {"centre": [0,0,0], "radius": 1}}, {"sphere": {"centre": [2,2,2], "radius": 1}}]}]})");
  CHECK(r.problems == "");
  const auto shape = make_shape(r.spec, 3);
  CHECK(shape->distance({{0.1, 0.1, 0.1}}) > 0);
  CHECK(shape->distance({{1.9, 1.9, 1.9}}) > 0);
  CHECK(shape->distance({{1, 1, 1}}) < 0);
}

TEST_CASE("shapes: exactly one shape must be given") {
  CHECK(shape_problems("{}") ==
        ": needs a shape, one of box, sphere, plane, capsule, cylinder, ellipsoid, polygon, mesh, "
        "height_map, volume, union, intersection, difference");
  CHECK(shape_problems(R"({"plane": {}, "sphere": {"centre": [0,0,0], "radius": 1}})") ==
        ": needs exactly one shape and has sphere, plane; a union takes several");
  CHECK(shape_problems(R"({"union": []})") == "/union: needs 1 shape or more and has 0");
  CHECK(shape_problems(R"({"difference": [{"plane": {}}]})") ==
        "/difference: needs 2 shapes or more and has 1");
  CHECK(shape_problems(R"({"union": [{"inside": true}]})").starts_with("/union/0: needs a shape"));
}

TEST_CASE("shapes: sizes that enclose nothing are refused where they stand") {
  CHECK(shape_problems(R"({"box": {"min": [0,0,0], "max": [1,-1,1]}})") ==
        "/box/max: max must lie above min, and along y it is -1 where min is 0");
  CHECK(shape_problems(R"({"box": {"min": [0,0], "max": [1,1]}})", 2) == "");
  CHECK(shape_problems(R"({"sphere": {"centre": [0,0,0], "radius": 0}})")
            .starts_with("/sphere/radius: "));
  CHECK(shape_problems(R"({"ellipsoid": {"centre": [0,0,0], "radii": [1,0,1]}})") ==
        "/ellipsoid/radii: radii must be above 0, and along y it is 0");
  CHECK(shape_problems(R"({"cylinder": {"a": [1,0,0], "b": [1,0,0], "radius": 1}})") ==
        "/cylinder/b: the ends a and b coincide, so the cylinder has no direction");
  CHECK(shape_problems(R"({"plane": {"normal": [0,0,0]}})") ==
        "/plane/normal: a normal must not be zero; [0, 1, 0] makes a floor");
  CHECK(shape_problems(R"({"polygon": {"points": [[0,0],[1,0]]}})", 2) ==
        "/polygon/points: a polygon needs 3 points or more and has 2");
  CHECK(shape_problems(R"({"polygon": {"points": [[0,0],[1,1],[2,2]]}})", 2) ==
        "/polygon/points: the polygon has no area; give its corners in order around the outline");
  CHECK(shape_problems(R"({"plane": {}, "transform": {"scale": 0}})")
            .starts_with("/transform/scale: "));
  CHECK(shape_problems(R"({"plane": {}, "transform": {"axis": [0,0,0]}})") ==
        "/transform/axis: an axis must not be zero; [0, 0, 1] turns about z");
}

TEST_CASE("shapes: some shapes are of one dimension only") {
  CHECK(shape_problems(R"({"polygon": {"points": [[0,0,0],[1,0,0],[0,1,0]]}})") ==
        "/polygon: is a shape of 2D scenes; in 3D a mesh file can give any outline");
  CHECK(shape_problems(R"({"mesh": {"file": "a.obj"}})", 2) ==
        "/mesh: is a shape of 3D scenes; in 2D a polygon can give any outline");
}

TEST_CASE("shapes: a motion has keyframes in order, or velocity and spin") {
  const Reading<MotionSpec> r(R"({"keyframes": [{"time": 0}, {"time": 2, "translate": [1,0,0]}]})");
  CHECK(r.problems == "");
  CHECK(pose_at(r.spec, 1).translation == Vec3d{{0.5, 0, 0}});
  CHECK(motion_problems(R"({"velocity": [1,0], "spin": 3})", 2) == "");
  CHECK(motion_problems(R"({"keyframes": [{"time": 1}, {"time": 1}]})") ==
        "/keyframes: times must rise, and keyframe 1 at 1 s follows 1 s");
  CHECK(motion_problems(R"({"spin": 1, "keyframes": [{"time": 1}]})") ==
        "/keyframes: keyframes cannot be given together with velocity or spin; give one of them");
}
