#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <functional>

#include "support/jet.h"
#include "support/temporary_folder.h"

// Emitters and drains whose mesh follows frames.
using namespace rtsim;

namespace {

using Map = std::function<Vec3d(const Vec3d&)>;

// The pipe of Jet as a mesh, a frame for each map.
struct Pipe {
  TemporaryFolder folder;

  Pipe(const std::vector<Map>& frames, const Vec3d& size = {{0.1, 0.2, 0.15}}) {
    for (std::size_t k = 0; k < frames.size(); ++k) {
      std::ofstream file(path(fmt::format("{}", k)));
      for (int c = 0; c < 8; ++c) {
        const Vec3d x =
            frames[k]({{size[0] * (c & 1), size[1] * (c >> 1 & 1), size[2] * (c >> 2 & 1)}});
        file << fmt::format("v {:.17g} {:.17g} {:.17g}\n", x[0], x[1], x[2]);
      }
      file << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    }
  }
  std::string path(const std::string& number) const {
    return (folder.path / fmt::format("pipe_{}.obj", number)).string();
  }
  std::string shape() const { return fmt::format(R"("mesh": {{ "file": "{}" }})", path("0")); }
  std::string follow(double fps) const {
    return fmt::format(R"(, "deformation": {{ "frames": "{}", "fps": {} }})", path("#"), fps);
  }
};

Map stays() {
  return [](const Vec3d& x) { return x; };
}
Map shifted(const Vec3d& by) {
  return [by](const Vec3d& x) { return x + by; };
}

void check_same(Running& a, Running& b) {
  REQUIRE(ids(a) == ids(b));
  for (const char* column : {"position", "velocity"}) {
    const auto x = a.world().table("water").download<Vec<3>>(column);
    const auto y = b.world().table("water").download<Vec<3>>(column);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, double(norm(x[i] - y[i])));
    INFO(column);
    CHECK(worst < 2e-6);  // a float's rounding of places and speeds of some metres
  }
}

}  // namespace

TEST_CASE("emit: a shape shifted by its frames is the shape with that motion", "[long]") {
  const Vec3d way{{-0.7, 0.4, 0.2}};
  const Pipe pipe({stays(), shifted(way), shifted(2.0 * way)});
  for (const char* pattern :
       {R"("layers")", R"("fill", "schedule": [{"start": 0.3, "stop": 0.4}, {"start": 0.7}])",
        R"("random", "per_second": 400)"})
    for (const double dt : {0.0137, 0.05}) {
      Jet jet;
      jet.dt = dt;
      jet.shape = pipe.shape();
      const std::string more = fmt::format(R"(, "pattern": {})", pattern);
      jet.more = more + pipe.follow(1);
      Running frames = jet.run();
      jet.more = more + R"(, "motion": {"velocity": [-0.7, 0.4, 0.2]})";
      Running motion = jet.run();
      frames.advance(std::lround(1.5 / dt)), motion.advance(std::lround(1.5 / dt));
      INFO(pattern << ", dt = " << dt);
      REQUIRE(frames.world().table("water").rows() >= 48);
      check_same(frames, motion);
      CHECK(frames.measure("water.fed_energy") ==
            Approx(motion.measure("water.fed_energy")).epsilon(1e-5));
    }
}

TEST_CASE("emit: frames go on top of a motion that turns") {
  const Pipe pipe({stays(), shifted({{0.5, 0, 0}})});
  Jet jet;
  jet.dt = 0.025;
  jet.shape = pipe.shape();
  jet.more = pipe.follow(1) +
             R"(, "motion": {"spin": 1.5, "spin_axis": [0, 0, 1], "centre": [0.05, 0.1, 0.075]})";
  Running r = jet.run();
  r.advance(39);
  r.sim.pipeline[0].stage->advance(r.world(), {39, 39 * 0.025, 0.025});
  const auto v = r.world().table("water").download<Vec<3>>("velocity");
  const auto x = r.world().table("water").download<Vec<3>>("position");
  const auto id = ids(r);
  const double time = 39 * 0.025, c = std::cos(1.5 * time), s = std::sin(1.5 * time);
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (id[i] / 12 != 39) continue;
    // The turn, and 2.5 m/s along the pipe: the jet's, and that of the frames.
    const double dx = x[i][0] - 0.05, dy = x[i][1] - 0.1;
    CHECK(v[i][0] == Approx(2.5 * c - 1.5 * dy).margin(1e-5));
    CHECK(v[i][1] == Approx(2.5 * s + 1.5 * dx).margin(1e-5));
    CHECK(v[i][2] == Approx(0).margin(1e-6));
  }
}

TEST_CASE("emit: what swells pours by its area, spreads its jet, and leads it so") {
  const Vec3d middle{{0.05, 0.3, 0.2}};
  const Map twice = [&](const Vec3d& x) {
    return Vec3d{{x[0], 2 * x[1] - middle[1], 2 * x[2] - middle[2]}};
  };
  const Pipe pipe({stays(), twice}, 2.0 * middle);
  Jet jet;
  jet.dt = 0.0125;  // a layer every second step
  jet.shape = pipe.shape();
  jet.more = pipe.follow(1);
  Running r = jet.run();
  double before = 0;
  for (int k = 0; k < 80; ++k) {
    r.advance(1);
    const double layer = r.measure("water.emitted") - before;
    before = r.measure("water.emitted");
    if (k % 2 == 1) CHECK(layer == 0);
    if (k % 2 == 1) continue;
    // Within half a spacing along its rim, of the area where the step began.
    const double grown = 1 + k * jet.dt, area = 0.6 * 0.4 * grown * grown;
    CHECK(std::abs(layer * 0.0025 - area) <= 0.025 * (0.6 + 0.4) * grown);
  }
  // v A t, A = 0.24 m^2 (1 + t)^2, as sums of layers at their starts have it, 1.5 / 40 less; and
  // what layers miss of their area, 1 % at most in the mean.
  const double poured = 2 * 0.24 * 7 / 3, sums = 2 * 0.24 * (7.0 / 3 - 1.5 / 40);
  CHECK(before * 0.000125 == Approx(sums).epsilon(0.01));
  CHECK(before * 0.000125 == Approx(poured).epsilon(0.03));

  r.sim.pipeline[0].stage->advance(r.world(), {79, 79 * jet.dt, jet.dt});
  const auto x = r.world().table("water").download<Vec<3>>("position");
  const auto v = r.world().table("water").download<Vec<3>>("velocity");
  int led = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i][0] < 0.01 || x[i][0] > 0.24) continue;  // 0.05 behind the cut to 0.2 in front
    const double grown = 1 + 79 * jet.dt;
    const Vec3d off = widen(x[i]) - middle;
    CHECK(v[i][0] == Approx(2).margin(1e-5));
    for (int a = 1; a < 3; ++a) CHECK(v[i][a] == Approx(off[a] / grown).margin(1e-4));
    ++led;
  }
  CHECK(led > 1000);
}

TEST_CASE("emit: nothing leaves while frames hold no place, and a shape without any is refused") {
  const Map slit = [](const Vec3d& x) { return Vec3d{{x[0], 0.1 + 0.01 * x[1], x[2]}}; };
  const Pipe pipe({slit, slit, stays(), slit});
  Jet jet;
  jet.dt = 0.01;
  jet.shape = pipe.shape();
  jet.more = R"(, "pattern": "random", "per_second": 300)" + pipe.follow(2);
  Running r = jet.run();
  r.advance(50);  // a slit of 2 mm, which holds the centre of no cell
  CHECK(r.measure("water.emitted") == 0);
  r.advance(50);
  const double opening = r.measure("water.emitted");
  CHECK(opening > 100);
  r.advance(100);
  CHECK(r.measure("water.emitted") < opening + 150);
  const Map dot = [](const Vec3d& x) { return 0.01 * x; };
  const Pipe none({dot, dot});
  jet.shape = none.shape();
  jet.more = R"(, "pattern": "fill")" + none.follow(1);
  CHECK(jet.complaint().find("none of its frames holds a lattice point") != std::string::npos);
  CHECK(jet.complaint().find("/stages/0") != std::string::npos);
}

TEST_CASE("remove: a shape takes what its frames have inside, and shifted ones what a motion has") {
  const std::string drain = R"(, {{ "type": "remove", "fluid": "water", "shape": {{ {} }}{} }})";
  const Vec3d way{{0.6, 0.3, 0}};
  const Pipe pipe({stays(), shifted(way)}, {{0.21, 0.33, 0.17}});
  for (const char* outside : {"", R"(, "outside": true)"}) {
    Jet jet;
    jet.more = R"(, "pattern": "fill")";
    jet.shape = R"("box": { "min": [0, 0, 0], "max": [1, 1, 0.2] })";
    jet.velocity = "[0, 0, 0]";
    jet.dt = 0.02;
    const auto behind = [&](const std::string& more) {
      return fmt::format(fmt::runtime(drain), pipe.shape(), more + outside);
    };
    jet.stages_behind = behind(pipe.follow(1));
    Running frames = jet.run();
    jet.stages_behind = behind(R"(, "motion": {"velocity": [0.6, 0.3, 0]})");
    Running motion = jet.run();
    frames.advance(40), motion.advance(40);
    CHECK(frames.world().table("water").rows() < 1500);
    CHECK(ids(frames) == ids(motion));
  }
}
