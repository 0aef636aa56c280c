#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "shapes/motion.h"
#include "sources/nozzle.h"
#include "support/jet.h"

// What leaves a nozzle, and where it is.
using namespace rtsim;

namespace {

std::vector<double> sorted_x(Running& r) {
  std::vector<double> x;
  for (const Vec<3>& p : r.world().table("water").download<Vec<3>>("position")) x.push_back(p[0]);
  std::ranges::sort(x);
  return x;
}

}  // namespace

TEST_CASE("emit: layers are one spacing apart, whatever the step") {
  // Layers leave every 0.025 s: less than one a step, just one, and several.
  for (const double dt : {0.001, 0.0137, 0.025, 0.1, 0.19}) {
    Jet jet;
    jet.dt = dt;
    Running r = jet.run();
    const long steps = std::lround(std::ceil(1 / dt));
    r.advance(steps);
    const std::vector<double> x = sorted_x(r);
    INFO("dt = " << dt);
    REQUIRE(x.size() % 12 == 0);
    // The first layer left the middle of the pipe at t = 0.
    CHECK(x.back() == Approx(0.05 + 2 * r.time()).epsilon(1e-5));
    // Each of up to a thousand moves rounds x < 3 by half an ulp, 1.2e-7: 1e-4 in all at worst.
    double worst = 0;
    for (std::size_t layer = 0; 12 * (layer + 1) < x.size(); ++layer) {
      CHECK(x[12 * layer] == Approx(x[12 * layer + 11]).margin(1e-4));
      worst = std::max(worst, std::abs(x[12 * layer + 12] - x[12 * layer] - 0.05));
    }
    CHECK(worst < 1e-4);
  }
}

TEST_CASE("emit: the volume that left is v A t, to within a layer") {
  for (const double dt : {0.0037, 0.04}) {
    Jet jet;
    jet.dt = dt;
    Running r = jet.run();
    for (int k = 0; k < 20; ++k) {
      r.advance(3);
      const double volume = double(r.world().table("water").rows()) * std::pow(0.05, 3);
      const double layer = 12 * std::pow(0.05, 3);
      const double expected = 2 * (0.2 * 0.15) * r.time();
      CHECK(volume >= expected - 1e-9);
      CHECK(volume <= expected + layer + 1e-9);
      CHECK(r.measure("water.emitted") == r.world().table("water").rows());
    }
  }
}

TEST_CASE("emit: a slanted round jet has the density of rest at its nozzle") {
  // A disc of 8 spacings: its lattice has 52 points where the area asks for 50.3.
  Jet jet;
  jet.shape = R"("cylinder": { "a": [0, 0, 0], "b": [0.3, 0.4, 0], "radius": 0.2 })";
  jet.velocity = "[0.6, 0.8, 0]";
  jet.dt = 0.02;
  Running r = jet.run();
  r.advance(50);
  const Vec3d n{{0.6, 0.8, 0}}, middle{{0.15, 0.2, 0}};
  const auto x = r.world().table("water").download<Vec<3>>("position");
  REQUIRE(!x.empty());
  double nearest = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3d d = widen(x[i]) - middle;
    CHECK(norm(d - dot(d, n) * n) < 0.2);
    for (std::size_t j = 0; j < i; ++j)
      nearest = std::min(nearest, norm(widen(x[i]) - widen(x[j])));
  }
  CHECK(nearest == Approx(0.05).epsilon(1e-3));
  const double rows = double(x.size()) * std::pow(0.05, 3), area = 3.14159265 * 0.04;
  CHECK(rows == Approx(area * 1.0).epsilon(0.05));  // 4 % of lattice, 1 layer in 20 at most is cut
}

TEST_CASE("emit: the cut takes the lattice whose area is nearest") {
  const auto count = [](double width, double height, int dim) {
    ShapeSpec s;
    s.box = BoxSpec{{{0, 0, 0}}, {{1, width, height}}};
    return cut_shape(*make_shape(s, dim), {{3, 0, 0}}, 0.1, dim).points.size();
  };
  for (int n = 1; n <= 7; ++n) {
    CHECK(count(0.1 * n, 1, 2) == std::size_t(n));
    for (int m = 1; m <= 4; ++m) CHECK(count(0.1 * n, 0.1 * m, 3) == std::size_t(n * m));
  }
  ShapeSpec dot;
  dot.sphere = SphereSpec{{{5, 5, 5}}, 0.04};
  const auto one = cut_shape(*make_shape(dot, 3), {{1, 2, 3}}, 0.1, 3).points;
  REQUIRE(one.size() == 1);
  CHECK(norm(one[0] - Vec3d{{5, 5, 5}}) < 1e-12);
}

TEST_CASE("emit: in the plane, from a polygon") {
  Jet jet;
  jet.dim = 2;
  jet.shape = R"("polygon": { "points": [[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2]] })";
  jet.velocity = "[0, -1]";
  jet.dt = 0.03;
  Running r = jet.run();
  r.advance(40);
  std::set<std::pair<long, long>> cells;  // of the lattice that the first layer starts
  const auto x = r.world().table("water").download<Vec<2>>("position");
  CHECK(x.size() == 4 * 24);  // 1.2 s at a layer every 0.05 s
  const double first = 0.1 - r.time();
  for (const Vec<2>& p : x) {
    const double i = (p[0] - 0.025) / 0.05, j = (p[1] - first) / 0.05;
    CHECK(i == Approx(std::round(i)).margin(1e-4));
    CHECK(j == Approx(std::round(j)).margin(1e-3));
    cells.insert({std::lround(i), std::lround(j)});
  }
  CHECK(cells.size() == x.size());
}

TEST_CASE("emit: windows open and close, and layers keep their beat") {
  Jet jet;
  jet.more = R"(, "schedule": [{"start": 0.1, "stop": 0.3}, {"start": 0.51}])";
  jet.dt = 0.01;
  Running r = jet.run();
  r.advance(10);
  CHECK(r.world().table("water").rows() == 0);
  r.advance(60);
  std::vector<double> left;  // when each layer left
  const std::vector<double> x = sorted_x(r);
  for (std::size_t i = 0; i < x.size(); i += 12) left.push_back(r.time() - (x[i] - 0.05) / 2);
  std::ranges::sort(left);
  // 0.1, 0.125, ... 0.275, then the first beat at or after 0.51: 0.525, ... 0.675.
  REQUIRE(left.size() == 8 + 7);
  for (int k = 0; k < 8; ++k) CHECK(left[std::size_t(k)] == Approx(0.1 + 0.025 * k).margin(1e-4));
  for (int k = 0; k < 7; ++k)
    CHECK(left[std::size_t(8 + k)] == Approx(0.525 + 0.025 * k).margin(1e-4));
}

TEST_CASE("emit: a nozzle that draws back as fast as it pours leaves a lattice at rest") {
  Jet jet;
  jet.more = R"(, "motion": {"velocity": [-2, 0, 0]})";
  Running r = jet.run();
  r.advance(70);
  const std::vector<double> x = sorted_x(r);
  for (std::size_t i = 0; i < x.size(); i += 12)
    CHECK(x[x.size() - 1 - i] == Approx(0.05 - 0.05 * double(i / 12)).margin(1e-6));
  for (const Vec<3>& v : r.world().table("water").download<Vec<3>>("velocity"))
    CHECK(v == Vec<3>{});
}

TEST_CASE("emit: a nozzle that turns throws along itself, and its own speed is added") {
  Jet jet;
  jet.velocity = "[2, 0, 0]";
  jet.more = R"(, "motion": {"spin": 1.5, "centre": [0.05, 0.1, 0.075]})";
  jet.dt = 0.025;  // a layer a step, at its start
  Running r = jet.run();
  r.advance(41);
  const auto v = r.world().table("water").download<Vec<3>>("velocity");
  const auto id = ids(r);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (id[i] / 12 == 40) {  // the layer of t = 1 s
      const double along = v[i][0] * std::cos(1.5) + v[i][1] * std::sin(1.5);
      const double across = -v[i][0] * std::sin(1.5) + v[i][1] * std::cos(1.5);
      // Points of the cut lie up to 1.5 spacings off the axis: they turn with it.
      CHECK(std::abs(along - 2) < 1.5 * 0.075 + 1e-5);
      CHECK(across == Approx(0).margin(1e-5));
    }
}

TEST_CASE("emit: in front of its nozzle the jet keeps its velocity, further on and beside it not") {
  Jet jet;
  jet.fill = R"(, "fill": {"box": {"min": [-0.1, -0.19, 0.01], "max": [0.6, 0.41, 0.21]}})";
  jet.more = R"(, "schedule": [{"start": 0, "stop": 0.5}], "guide": 0.17)";
  Running r = jet.run();
  const auto x = r.world().table("water").download<Vec<3>>("position");
  const auto guided = [&] {
    r.sim.pipeline[0].stage->advance(r.world(), {r.steps, r.time(), r.dt()});
    const auto v = r.world().table("water").download<Vec<3>>("velocity");
    std::size_t count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vec<3>& p = x[i];
      const bool in = p[0] > 0 && p[0] < 0.22 && p[1] > -0.025 && p[1] < 0.225 && p[2] < 0.175;
      CHECK(v[i] == (in ? Vec<3>{{2, 0, 0}} : Vec<3>{}));
      count += in;
    }
    return count;
  };
  // x: from a spacing behind the cut at 0.05 to 0.17 in front; y and z: half a spacing around it.
  CHECK(guided() == 4 * 5 * 3);
}
