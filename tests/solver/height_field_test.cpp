#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "support/running.h"
#include "support/temporary_folder.h"

// The ground and the water that a height field begins with.
using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

std::string pond(const std::string& shapes) {
  return R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.01, "steps_per_frame": 1, "frames": 1},
    "objects": [{"name": "w", "kind": "height_field", "spacing": 0.5, "min": [0, 0, 0], "max": [20, 0, 6])" +
         shapes + R"(}], "stages": [{"type": "shallow_water", "water": "w"}]})";
}
std::vector<Real> depths(Running& r) { return r.world().table("w").download<Real>("depth"); }
std::vector<Real> beds(Running& r) { return r.world().table("w").download<Real>("bed"); }

}  // namespace

// Steps by the distance crawl along a side that is near, and never end where they are 0.
TEST_CASE("height_field: fills that are tall, or graze a column, are read at once") {
  for (const double side : {5.25, 5.25 + 1e-13, 5.25 - 1e-9, 5.3}) {
    Running r(pond(fmt::format(
                  R"(, "fill": {{"box": {{"min": [-1, -1e6, -1], "max": [{:.17g}, 2.5, 9]}}}},
                       "bed": {{"difference": [
                         {{"box": {{"min": [-1e5, -1e6, -1e5], "max": [1e5, 1, 1e5]}}}},
                         {{"cylinder": {{"a": [12.25, -1e6, 3.25], "b": [12.25, 1e6, 3.25], "radius": 2}}}}]}})",
                  side)),
              Exec::cpu(1));
    const auto b = beds(r), d = depths(r);
    for (Index c = 0; c < 40 * 12; ++c) {
      const double x = 0.5 * (c % 40) + 0.25, z = 0.5 * (c / 40) + 0.25;
      const double from_hole = std::hypot(x - 12.25, z - 3.25);
      if (std::abs(from_hole - 2) > 1e-9)
        CHECK(double(b[std::size_t(c)]) == (from_hole < 2 ? 0 : 1));
      if (std::abs(x - side) > 1e-8) CHECK(double(d[std::size_t(c)]) == (x < side ? 1.5 : 0));
    }
  }
}

TEST_CASE("height_field: a map smaller than the field is read at once, and ends at its rim") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "hill.asc").string();
  std::ofstream(path) << "ncols 3\nnrows 2\ncellsize 1\n1 3 5\n1 3 5\n";
  Running r(pond(fmt::format(R"(, "bed": {{"height_map": {{"file": "{}", "min": [4, 0, 1],
                                 "max": [12, 6, 4]}}}})",
                             path)),
            Exec::cpu(1));
  const auto b = beds(r);
  for (Index c = 0; c < 40 * 12; ++c) {
    const double x = 0.5 * (c % 40) + 0.25, z = 0.5 * (c / 40) + 0.25;
    const bool on_map = x > 4 && x < 12 && z > 1 && z < 4;
    CHECK(double(b[std::size_t(c)]) == Approx(on_map ? 1 + (x - 4) / 2 : 0).margin(1e-6));
  }
}

TEST_CASE("height_field: a ground without a top is refused") {
  CHECK_THROWS_WITH(
      Running(pond(R"(, "bed": {"sphere": {"centre": [10, 0, 3], "radius": 2}, "inside": true})"),
              Exec::cpu(1)),
      Contains("a shape has no top"));
}
