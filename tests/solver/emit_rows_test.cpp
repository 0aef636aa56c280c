#include <catch2/catch.hpp>
#include <cmath>

#include "cache/checkpoint.h"
#include "support/jet.h"
#include "support/temporary_folder.h"

// Rows that come: how many, when, with which ids, and what cannot work.
using namespace rtsim;

TEST_CASE("emit: a fill appears whole at each start of the schedule") {
  Jet jet;
  jet.velocity = "[0, 0, 0]";
  jet.more = R"(, "pattern": "fill", "schedule": [{"start": 0.02, "stop": 0.03}, {"start": 0.05}])";
  jet.dt = 0.013;
  Running r = jet.run();
  const auto rows = [&] { return r.world().table("water").rows(); };
  r.advance(1);
  CHECK(rows() == 0);
  r.advance(1);  // 0.013 to 0.026
  CHECK(rows() == 2 * 4 * 3);
  r.advance(1);
  CHECK(rows() == 2 * 4 * 3);
  r.advance(20);
  CHECK(rows() == 2 * (2 * 4 * 3));
}

TEST_CASE("emit: random particles come at their rate, inside, and differ with the seed") {
  Jet jet;
  jet.velocity = "[0, 0, 0]";
  jet.more = R"(, "pattern": "random", "per_second": 333)";
  Running a = jet.run();
  a.advance(77);
  const auto x = a.world().table("water").download<Vec<3>>("position");
  CHECK(x.size() == std::size_t(std::ceil(77 * 0.013 * 333)));
  Vec3d mean;
  for (const Vec<3>& p : x) {
    CHECK((p[0] >= 0 && p[0] <= 0.1f && p[1] >= 0 && p[1] <= 0.2f && p[2] >= 0 && p[2] <= 0.15f));
    mean = mean + (1.0 / double(x.size())) * widen(p);
  }
  // Uniform on an interval L: the mean of 334 has a deviation of L / sqrt(12 * 334) = 0.016 L; five
  // of them.
  CHECK(mean[0] == Approx(0.05).margin(5 * 0.016 * 0.1));
  CHECK(mean[1] == Approx(0.1).margin(5 * 0.016 * 0.2));
  Jet other = jet;
  Scene scene = read_scene_text(other.text(), "scene.json", ".", {"/seed=4"}, with_drift());
  Running b(scene, Exec::cpu(1));
  b.advance(77);
  CHECK(b.world().state_hash() != a.world().state_hash());
}

TEST_CASE("emit: two nozzles into one fluid give every row its own id, in order") {
  Jet jet;
  jet.fill = R"(, "fill": {"box": {"min": [-1, 0, 0], "max": [-0.8, 0.2, 0.2]}})";
  jet.stages_behind =
      R"(, {"type": "emit", "name": "second", "fluid": "water", "velocity": [0, 5, 0],
    "max_particles": 100000, "shape": {"sphere": {"centre": [0, 3, 0], "radius": 0.2}}})";
  Running r = jet.run();
  r.advance(40);
  const std::vector<std::uint32_t> all = ids(r);
  CHECK(all.size() > 64 + 100);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == i);
  CHECK(r.world().next_id == all.size());
}

TEST_CASE("emit: at its budget it stops, says so, counts what it refuses, and goes on with room") {
  Jet jet;
  jet.dt = 0.025;
  jet.max_particles = 30;
  jet.stages_behind = R"(, {"type": "remove", "fluid": "water", "outside": true,
    "shape": {"box": {"min": [-1, -1, -1], "max": [0.3, 1, 1]}}})";
  Running r = jet.run();
  CHECK(r.world().table("water").capacity() == 30);
  Stage& emit = *r.sim.pipeline[0].stage;
  r.advance(2);
  CHECK(emit.warning(r.world()) == "");
  CHECK(r.measure("water.refused") == 0);
  r.advance(1);
  CHECK(r.world().table("water").rows() == 30);
  CHECK(r.measure("water.emitted") == 30);
  CHECK(r.measure("water.refused") == 6);
  CHECK(emit.warning(r.world()) ==
        "'water' has the 30 particles of \"max_particles\", so emission stops; raise it, or remove "
        "particles");
  r.advance(50);
  CHECK(r.measure("water.emitted") > 200);
  CHECK(r.measure("water.emitted") - r.measure("water.removed") == r.world().table("water").rows());
  CHECK(r.measure("water.emitted") + r.measure("water.refused") == 53 * 12);
  CHECK(r.world().table("water").capacity() == 30);
}

TEST_CASE("emit: any number of threads and a checkpoint on the way give the same bytes") {
  Jet jet;
  jet.spacing = 0.01;
  jet.stages_behind = R"(, {"type": "remove", "fluid": "water",
    "shape": {"sphere": {"centre": [0.2, 0.1, 0], "radius": 0.08}}})";
  Running one = jet.run(1), two = jet.run(2);
  one.advance(5), two.advance(5);
  CHECK(one.world().state_hash() == two.world().state_hash());
  CHECK(one.measure("water.removed") > 0);
  const TemporaryFolder folder;
  save_checkpoint(folder.path, two.world(), {.step = 5});
  Running later = jet.run(2);
  std::string warnings;
  load_checkpoint(find_checkpoint(folder.path, warnings)->file, later.world());
  later.steps = 5;
  later.refresh();
  CHECK(later.world().state_hash() == one.world().state_hash());
  later.advance(5), one.advance(5);
  CHECK(later.world().state_hash() == one.world().state_hash());
  CHECK(later.world().table("water").capacity() == jet.max_particles);
}

TEST_CASE("emit: what cannot work is said at its place") {
  Jet still;
  still.velocity = "[0, 0, 0]";
  CHECK(still.complaint().find("/stages/0/velocity: must not be zero") != std::string::npos);
  Jet endless;
  endless.shape = R"("plane": {})";
  CHECK(endless.complaint().find("shape without end") != std::string::npos);
  Jet thin;
  thin.shape = R"("difference": [{"sphere": {"centre": [0, 0, 0], "radius": 0.2}},
                                 {"sphere": {"centre": [0, 0, 0], "radius": 0.1999}}])";
  CHECK(thin.complaint().find("holds no lattice point") != std::string::npos);
  Jet spray;
  spray.more = R"(, "pattern": "random")";
  CHECK(spray.complaint().find("/stages/0/per_second: pattern \"random\"") != std::string::npos);
  Jet windows;
  windows.more = R"(, "schedule": [{"start": 0}, {"start": 1, "stop": 0.5}])";
  CHECK(windows.complaint().find("/stages/0/schedule: window 1 starts before window 0 stops") !=
        std::string::npos);
  CHECK(windows.complaint().find("/stages/0/schedule/1/stop: must come after its start at 1 s") !=
        std::string::npos);
  Jet full;
  full.fill = R"(, "fill": {"box": {"min": [-1, 0, 0], "max": [-0.8, 0.2, 0.2]}})";
  full.max_particles = 63;
  CHECK(full.complaint().find("'water' starts with 64 particles, more than the 63") !=
        std::string::npos);
}

TEST_CASE("emit: its budget is counted before the world is built") {
  Jet jet;
  jet.max_particles = 2000000000;
  CHECK(jet.complaint().find("needs about") != std::string::npos);
}
