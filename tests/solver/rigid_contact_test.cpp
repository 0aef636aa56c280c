#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/rigid_floor.h"

using namespace rtsim;

TEST_CASE("rigid: Newton's cradle sends on as many balls as came") {
  // Five balls that touch, in a row without gravity.
  for (const int came : {1, 2}) {
    std::string balls;
    for (int k = 0; k < 5; ++k)
      balls += (k ? ", " : "") + ball(0.2 * k - (k < came ? 0.05 : 0), 1, 0.1,
                                      k < came ? R"(, "velocity": [1, 0, 0])" : "");
    Floor r(3, balls, R"(, "restitution": 1, "restitution_threshold": 0.01, "friction": 0)", 0.002,
            0, 0);
    r.advance(100);
    const auto v = r.all("velocity");
    for (int k = 0; k < 5; ++k) {
      CAPTURE(came, k);
      CHECK(v[std::size_t(k)][0] == Approx(k >= 5 - came ? 1 : 0).margin(1e-3));
    }
  }
}

TEST_CASE("rigid: a block sticks on an incline below the friction angle and slides above it") {
  const double angle = pi / 6;
  for (const int dim : {2, 3}) {
    const std::string block =
        dim == 3 ? box(0, 0.5, 0.5) : R"({"shape": {"box": {"min": [-0.5, 0], "max": [0.5, 1]}}})";
    Floor holds(dim, block, R"(, "friction": 0.6)", 1.0 / 60, angle);
    const double start = holds.all("position")[0][0];
    holds.advance(600);
    CAPTURE(dim, holds.all("position")[0][0] - start);
    CHECK(std::abs(holds.all("position")[0][0] - start) < 1e-4);

    Floor slides(dim, block, R"(, "friction": 0.4)", 1.0 / 60, angle);
    slides.advance(60);
    const double a = g * (std::sin(angle) - 0.4 * std::cos(angle));
    CHECK(slides.all("velocity")[0][0] == Approx(a).epsilon(0.01));
  }
}

TEST_CASE("rigid: a block at 2 m/s stops after v^2 / (2 mu g)") {
  Floor r(3, box(0, 0.1, 0.1, R"(, "velocity": [2, 0, 0])"), R"(, "friction": 0.4)", 1.0 / 240);
  r.advance(240);
  CHECK(r.all("position")[0][0] == Approx(0.509684).epsilon(0.01));
  CHECK(std::abs(r.all("velocity")[0][0]) < 1e-4);
}

TEST_CASE("rigid: what is held by static friction slides with the dynamic one") {
  // tan = 0.577: below the static limit, above the dynamic one. Pressures of the lower corners are
  // 1.58 of the mean, of the upper ones 0.42.
  const double angle = pi / 6;
  Floor holds(3, box(0, 0.1, 0.1), R"(, "friction": 0.2, "static_friction": 0.7)", 1.0 / 240);
  holds.advance(240);  // contacts come to bear it; then the ground tilts
  const double start = holds.all("position")[0][0];
  holds.world().gravity = {g * std::sin(angle), -g * std::cos(angle), 0};
  holds.advance(480);
  CHECK(std::abs(holds.all("position")[0][0] - start) < 1e-4);
  Floor gives(3, box(0, 0.1, 0.1), R"(, "friction": 0.2, "static_friction": 0.55)", 1.0 / 240);
  gives.advance(240);
  gives.world().gravity = {g * std::sin(angle), -g * std::cos(angle), 0};
  gives.advance(240);
  CHECK(gives.all("velocity")[0][0] > 1);
  Floor slides(3, box(0, 0.1, 0.1, R"(, "velocity": [1, 0, 0])"),
               R"(, "friction": 0.2, "static_friction": 0.7)", 1.0 / 240, angle);
  slides.advance(240);
  CHECK(slides.all("velocity")[0][0] ==
        Approx(1 + g * (std::sin(angle) - 0.2 * std::cos(angle))).epsilon(0.02));
}

TEST_CASE("rigid: a sphere rolls down an incline at 5/7 g sin") {
  const double angle = pi / 9;  // mu > 2/7 tan: it does not slip
  Floor r(3, ball(0, 0.2, 0.2), R"(, "friction": 0.5)", 1.0 / 240, angle);
  r.advance(240);
  const double v = r.all("velocity")[0][0], w = -r.all("angular_velocity")[0][2];
  CHECK(v == Approx(5.0 / 7 * g * std::sin(angle)).epsilon(0.01));
  CHECK(w * 0.2 == Approx(v).epsilon(0.01));
}

TEST_CASE("rigid: rolling resistance stops a ball after 7 v^2 r / (10 b g)") {
  // a = 5/7 of b g / r, with b the arm of the resisting moment.
  const double arm = 0.01, radius = 0.2, v = 0.5;
  Floor r(3,
          ball(0, radius, radius, R"(, "velocity": [0.5, 0, 0], "angular_velocity": [0, 0, -2.5])"),
          fmt::format(R"(, "friction": 0.8, "rolling_resistance": {})", arm), 1.0 / 240);
  r.advance(480);
  CHECK(r.all("position")[0][0] == Approx(7 * v * v * radius / (10 * arm * g)).epsilon(0.02));
  CHECK(std::abs(r.all("velocity")[0][0]) < 1e-4);
}

TEST_CASE("rigid: a box topples where the incline is steeper than its base to its height") {
  // Base 0.4, height 1: tan = 0.4.
  const std::string tall = R"({"shape": {"box": {"min": [-0.2, 0, -0.2], "max": [0.2, 1, 0.2]}}})";
  Floor stands(3, tall, R"(, "friction": 1)", 1.0 / 120, std::atan(0.38));
  stands.advance(360);
  CHECK(stands.all("position")[0][1] == Approx(0.5).margin(0.01));
  Floor topples(3, tall, R"(, "friction": 1)", 1.0 / 120, std::atan(0.42));
  topples.advance(360);
  CHECK(topples.all("position")[0][1] < 0.3);
}

TEST_CASE("rigid: columns of 20 and 50 boxes stand for 10 s", "[long]") {
  // Contacts give like springs w^2 M, w = 2 pi 240/7 / s, at each corner, with M = m / 8 between
  // boxes; on the ground M = m / 4 and twice the w. Each bears the weight above it: by s = n g / (4
  // M w^2). All are stiffened together, so that the lowest of them between boxes gives by no more
  // than 1 / 64 of 0.0274 * 0.5 m.
  const double w2 = std::pow(2 * pi * 240 / 7, 2), allowed = 0.0274 * 0.5 / 64;
  for (const auto& [n, gap] : {std::pair{20, 0.0}, {20, 0.01}, {50, 0.0}, {50, 0.01}}) {
    Floor r(3, column_of(n, gap), R"(, "friction": 0.5)", 1.0 / 60);
    r.advance(600);
    const Vec3d top = r.all("position").back();
    const double growth = 2 * (n - 1) * g / w2 / allowed;
    double sunk = n * g / w2 / 4;
    for (int above = 1; above < n; ++above) sunk += 2 * above * g / w2;
    sunk /= growth;
    CAPTURE(n, gap, top[0], top[1], top[2]);
    CHECK(std::hypot(top[0], top[2]) < 1e-3);
    CHECK(n - 0.5 - top[1] == Approx(sunk).epsilon(0.01));
    CHECK(r.measure("b.kinetic_energy") < 1e-3);
  }
}

TEST_CASE("rigid: a column of twelve boxes that are off by 1 cm stands") {
  // Below what buckles: the springs of a contact turn against k = w^2 m / 8 at 0.5 m, and a column
  // under its own weight bends at n^3 = 7.84 k / (m g) (Greenhill 1881), n = 16.
  Floor r(3, column_of(12, 0, 0.01), "", 1.0 / 60);
  r.advance(60);
  const Vec3d settled = r.all("position").back();
  r.advance(540);
  const Vec3d top = r.all("position").back();
  CAPTURE(settled[0], top[0], top[2]);
  CHECK(std::abs(top[0] - settled[0]) < 5e-3);
  CHECK(std::abs(top[2]) < 1e-3);
  CHECK(r.measure("b.kinetic_energy") < 1e-3);
}

TEST_CASE("rigid: a column of twenty boxes that are off by 1 mm stands for a minute") {
  // Contacts that bear F give by no more than c = 0.214 mm, so they turn against 0.25 m^2 F / c at
  // least. Where that is so, a column bends under its own weight at n = 2.405 sqrt(0.25 / c) = 82
  // (the first zero of J0).
  Floor r(3, column_of(20, 0, 1e-3), "", 1.0 / 60);
  r.advance(3600);
  const auto x = r.all("position");
  for (std::size_t k = 0; k < x.size(); ++k) {
    CAPTURE(k, x[k][0], x[k][2]);
    CHECK(x[k][0] == Approx(k % 2 == 0 ? 0 : 1e-3).margin(1e-4));
    CHECK(std::abs(x[k][2]) < 1e-4);
  }
}

TEST_CASE("rigid: ten boxes of 1 and 100 kg by turns, the heavy ones on light ones, stand") {
  // For 30 s. None gives by more than 0.214 mm.
  std::string boxes;
  for (int k = 0; k < 10; ++k)
    boxes +=
        (k ? ", " : "") + box(0, 0.5 + k, 0.5, k % 2 == 0 ? R"(, "mass": 1)" : R"(, "mass": 100)");
  Floor r(3, boxes, "", 1.0 / 60);
  r.advance(1800);
  const Vec3d top = r.all("position").back();
  CHECK(top[1] == Approx(9.5).margin(10 * 2.14e-4));
  CHECK(std::hypot(top[0], top[2]) < 1e-4);
  CHECK(r.measure("b.kinetic_energy") < 1e-6);
}

TEST_CASE("rigid: a pyramid with gaps comes to rest") {
  Floor r(3, R"({"shape": {"box": {"min": [-0.5, 0, -0.5], "max": [0.5, 1, 0.5]}},
                 "pyramid": {"rows": 9, "gap": 0.01}})",
          R"(, "friction": 0.5)", 1.0 / 60);
  r.advance(180);
  // 285 boxes of a tonne: less than 1 mm/s each, in the mean.
  CHECK(r.measure("b.kinetic_energy") < 285 * 0.5 * 1000 * 1e-6);
  CHECK(r.all("position").back()[1] == Approx(8.5).margin(0.01));
}

TEST_CASE("rigid: a light box bears one a hundred times heavier") {
  Floor r(3, box(0, 0.5, 0.5, R"(, "mass": 1)") + ", " + box(0, 1.5, 0.5, R"(, "mass": 100)"), "",
          1.0 / 60);
  r.advance(600);
  const auto x = r.all("position");
  CHECK(x[0][1] == Approx(0.5).epsilon(0.03));
  CHECK(x[1][1] == Approx(1.5).epsilon(0.03));
  CHECK(std::hypot(x[1][0], x[1][2]) < 0.01);
}

TEST_CASE("rigid: bodies that collide keep their momentum and lose energy") {
  Floor r(3,
          box(0, 2, 0.5, R"(, "velocity": [3, 0, 0], "angular_velocity": [1, 2, 3])") + ", " +
              box(2, 2.4, 0.5, R"(, "velocity": [-1, 0, 0.2], "angular_velocity": [0, 1, 0])"),
          R"(, "restitution": 0.5)", 1.0 / 120, 0, 0);
  const double energy = r.measure("b.kinetic_energy");
  const char* names[] = {"b.momentum.x", "b.momentum.y", "b.momentum.z"};
  const char* turns[] = {"b.angular_momentum.x", "b.angular_momentum.y", "b.angular_momentum.z"};
  double p[3], l[3];
  for (int a = 0; a < 3; ++a) p[a] = r.measure(names[a]), l[a] = r.measure(turns[a]);
  r.advance(120);
  // Momenta of 4000 kg m/s in floats. Arms are those of the step's start, while the bodies turn:
  // the angular momentum is kept to the first order of the step.
  for (int a = 0; a < 3; ++a) {
    CHECK(r.measure(names[a]) == Approx(p[a]).margin(4000 * 1e-5));
    CHECK(r.measure(turns[a]) == Approx(l[a]).margin(0.01 * 8000));
  }
  CHECK(r.measure("b.kinetic_energy") < energy);
}

TEST_CASE("rigid: a step gives the same bits with any number of threads") {
  const std::string pile =
      R"({"shape": {"box": {"min": [-0.5, 0, -0.5], "max": [0.5, 1, 0.5]}}, "pyramid": {"rows": 9, "gap": 0.02}})";
  std::uint64_t hash[2];
  for (const int threads : {1, 3}) {
    Floor r(3, pile, "", 1.0 / 60, 0, g, threads);
    r.advance(20);
    hash[threads / 2] = r.world().state_hash();
  }
  CHECK(hash[0] == hash[1]);
}
