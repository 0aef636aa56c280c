#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "cache/checkpoint.h"
#include "support/running.h"
#include "support/temporary_folder.h"

using namespace rtsim;

namespace {

// From 200 bodies on, the threads of a step stay awake between its loops. These are 256 boxes in
// piles of four, which fall, bounce and slide by materials of their own, and then fall asleep.
std::string piles() {
  std::string bodies;
  for (int k = 0; k < 256; ++k) {
    const double x = 1.3 * (k % 8) + 0.02 * (k % 5), z = 1.3 * (k / 8 % 8),
                 y = 0.1 + 1.1 * (k / 64);
    bodies += fmt::format(
        R"({}{{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}}}}, "velocity": [0.3, 0, 0],
          "material": {{"friction": {}, "restitution": {}}}}})",
        k == 0 ? "" : ", ", x, y, z, x + 1, y + 1, z + 1, 0.2 + 0.1 * (k % 4),
        k % 3 == 0 ? 0.4 : 0);
  }
  return R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.01, "frames": 1},
    "objects": [{"name": "b", "kind": "bodies", "density": 1000, "bodies": [)" +
         bodies + R"(]},
      {"name": "floor", "kind": "boundary", "shape": {"plane": {}}}],
    "stages": [{"type": "rigid", "bodies": "b", "boundary": ["floor"], "sleep_after": 0.2}]})";
}

}  // namespace

TEST_CASE("rigid_team: many bodies have the same bytes with any number of threads, and resumed") {
  const std::string scene = piles();
  const TemporaryFolder folder;
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 5}) {
    Running r(scene, Exec::cpu(threads));
    r.advance(60);
    CHECK(r.measure("b.asleep") < 256);
    if (threads == 2) save_checkpoint(folder.path, r.world(), {.step = 60});
    r.advance(140);
    CHECK(r.measure("b.asleep") > 0);
    if (threads == 1) hash = r.world().state_hash();
    CHECK(r.world().state_hash() == hash);
  }
  Running r(scene, Exec::cpu(3));
  std::string warnings;
  const auto checkpoint = find_checkpoint(folder.path, warnings);
  REQUIRE(checkpoint);
  load_checkpoint(checkpoint->file, r.world());
  r.steps = checkpoint->progress.step;
  r.refresh();
  r.advance(140);
  CHECK(r.world().state_hash() == hash);
}
