#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// Held by its six highest points along an axis; checks that it starts and stays free of
// intersections.
void hang(const std::filesystem::path& file, int up, int steps) {
  INFO(file.string());
  const auto scene = [&](const std::string& held) {
    return MeshScene{.mesh = fmt::format(R"("surface": {{"file": "{}"}})", file.string()),
                     .weight = R"("density": 0.3)",
                     .stages = hold(fmt::format(R"("points": [{}])", held)) +
                               R"(, {"type": "xpbd", "mesh": "m", "stretch_compliance": 1e-6,
                        "bending_stiffness": 5e-5, "damping": 1, "substeps": 10,
                        "thickness": 0.005, "self_contact": true})",
                     .gravity = up == 1 ? "[0, -9.81, 0]" : "[0, 0, -9.81]"};
  };
  Running start(scene("0").text(), Exec::cpu(1));
  const auto x = places(start);
  std::vector<int> highest(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) highest[i] = int(i);
  std::ranges::stable_sort(
      highest, [&](int a, int b) { return x[std::size_t(a)][up] > x[std::size_t(b)][up]; });
  std::string held;
  for (std::size_t k = 0; k < 6; ++k) held += fmt::format("{}{}", k ? ", " : "", highest[k]);
  Running r(scene(held).text(), Exec::cpu(1));
  CHECK(r.measure("m.intersections") == 0);
  for (int k = 0; k < 5; ++k) {
    r.advance(steps / 5);
    CHECK(r.measure("m.intersections") == 0);
  }
  CHECK(r.measure("m.mean_strain") < 0.02);
}

}  // namespace

// Flat, so that all are as high and the first six hold it, on the rim of the neck.
TEST_CASE("garments: a poncho hangs by its neck free of intersections") {
  hang(RTSIM_SOURCE "/configs/xpbd/poncho.obj", 1, 50);
}

// Garments by others, in the folder RTSIM_GARMENTS.
TEST_CASE("garments: those by others hang by the shoulders free of intersections", "[slow]") {
  const char* folder = std::getenv("RTSIM_GARMENTS");
  if (!folder) {
    WARN("RTSIM_GARMENTS is not set: skipped");
    return;
  }
  struct Garment {
    const char* file;
    int up;  // axis
  };
  for (const Garment& garment : {Garment{"tshirt.obj", 2}, {"robe.obj", 1}, {"dress3.obj", 2}}) {
    const auto path = std::filesystem::path(folder) / garment.file;
    if (std::filesystem::exists(path))
      hang(path, garment.up, 100);
    else
      WARN(path.string() << " is missing: skipped");
  }
}
