#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "rigid/body.h"
#include "support/running.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;

// Bodies alone in space.
struct RattleState : Running {
  RattleState(int dim, const std::string& gravity, const std::string& body, double dt,
              const std::string& stage = "")
      : Running(fmt::format(R"({{"rtsim": 1, "dim": {}, "gravity": {},
          "time": {{"dt": {}, "frames": 1000000}},
          "objects": [{{"name": "b", "kind": "bodies", "density": 1000, "bodies": [{}]}}],
          "stages": [{{"type": "rigid", "bodies": "b" {}}}]}})",
                            dim, gravity, dt, body, stage),
                Exec::cpu(1)) {}
  template <int D>
  Vec3d at(const char* column) {
    return widen(world().table("b").download<Vec<D>>(column)[0]);
  }
  double spin() {
    const Vec3d l{{measure("b.angular_momentum.x"), measure("b.angular_momentum.y"),
                   measure("b.angular_momentum.z")}};
    return norm(l);
  }
};

const char* racket =
    R"({"shape": {"box": {"min": [-0.15, -0.35, -0.01], "max": [0.15, 0.35, 0.01]}},
                         "angular_velocity": [10, 0.01, 0.02]})";

}  // namespace

TEST_CASE("rigid: a free body flies on the parabola itself, at any number of substeps") {
  for (const int substeps : {1, 4}) {
    const double dt = 0.01;
    RattleState r(
        3, "[0, -9.81, 0]",
        R"({"shape": {"sphere": {"centre": [0, 10, 0], "radius": 0.1}}, "velocity": [2, 5, -1]})",
        dt, fmt::format(R"(, "substeps": {})", substeps));
    r.advance(100);
    // In floats each of 100 steps may round a height of 10 m by 5e-7 and a speed of 5 m/s by 2e-7
    // a substep, which the height then sums.
    const Vec3d x = r.at<3>("position");
    const double rounding = sizeof(Real) == 4 ? 1e-4 : 1e-12;
    CHECK(x[0] == Approx(2).margin(rounding));
    CHECK(x[1] == Approx(10 + 5 - g / 2).margin(rounding));
    CHECK(x[2] == Approx(-1).margin(rounding));
  }
}

TEST_CASE("rigid: rattle in the plane turns as it did and falls on the parabola") {
  RattleState r(
      2, "[0, -9.81]",
      R"({"shape": {"box": {"min": [0, 0], "max": [1, 0.5]}}, "velocity": [1, 2], "angular_velocity": [3]})",
      0.01);
  r.advance(100);
  const Vec3d x = r.at<2>("position");
  CHECK(x[0] == Approx(1.5).margin(1e-4));
  CHECK(x[1] == Approx(0.25 + 2 - g / 2).margin(1e-4));
  const auto q = r.world().table("b").download<rigid::Orientation<2>>("orientation")[0];
  CHECK(std::atan2(double(q[1]), double(q[0])) == Approx(3.0).margin(1e-4));
}

TEST_CASE("rigid: a tennis racket flips over, and keeps its energy and angular momentum") {
  // About the middle axis of inertia a turn is unstable. 100 s at 60 steps a second.
  const double kept = 1e-6;
  RattleState r(3, "[0, 0, 0]", racket, 1.0 / 60);
  const double energy = r.measure("b.kinetic_energy"), spin = r.spin();
  int flips = 0;
  double sign = 1, worst_energy = 0, worst_spin = 0;
  for (int n = 0; n < 6000; ++n) {
    r.advance(1);
    const auto q = r.world().table("b").download<rigid::Orientation<3>>("orientation")[0];
    const auto w = r.world().table("b").download<Vec<3>>("angular_velocity")[0];
    const double about_own = double(turned(back(q), w)[0]);  // of the middle axis
    if (about_own * sign < -1) ++flips, sign = -sign;
    worst_energy = std::max(worst_energy, std::abs(r.measure("b.kinetic_energy") / energy - 1));
    worst_spin = std::max(worst_spin, std::abs(r.spin() / spin - 1));
  }
  CAPTURE(flips, worst_energy, worst_spin);
  CHECK(flips > 20);
  CHECK(worst_energy < kept);
  CHECK(worst_spin < kept);
}

namespace {

// K(k) by the mean of 1 and k' that is both arithmetic and geometric: Abramowitz & Stegun 17.6.
double quarter_period(double complement) {
  double a = 1, b = complement;
  for (int n = 0; n < 20; ++n) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b), a = mean;
  }
  return pi / (2 * a);
}

// Of a spin w about axes of inertia i, from the least on: Landau & Lifshitz, "Mechanics", section
// 37. The middle component changes its sign every half period.
double half_period_of(const Vec3d& i, const Vec3d& w) {
  double two_e = 0, square = 0;
  for (int a = 0; a < 3; ++a) two_e += i[a] * w[a] * w[a], square += std::pow(i[a] * w[a], 2);
  double least = i[0], most = i[2];
  if (square < two_e * i[1]) std::swap(least, most);
  const double rate = (most - i[1]) * (square - two_e * least);
  const double complement = std::sqrt((most - least) * (square - two_e * i[1]) / rate);
  return 2 * quarter_period(complement) / std::sqrt(rate / (i[0] * i[1] * i[2]));
}

// A thin plate far from the origin, as is and turned: its edges [m], from the longest on.
struct ThinRacket {
  Vec3d edges;
  double spin, aside;  // [rad/s] about its middle axis, and of it about the longest
  double dt;
  const char* transform = "";
  Vec3d middle{{0, 1, 0}}, longest{{0, 0, 1}};  // axes in the world

  std::string text() const {
    const Vec3d w = spin * middle + (aside * spin) * longest;
    return fmt::format(R"({{"shape": {{"box": {{"min": [{}, {}, {}], "max": [{}, {}, {}]}} {}}},
                           "angular_velocity": [{}, {}, {}]}})",
                       -edges[2] / 2, -edges[1] / 2, -edges[0] / 2, edges[2] / 2, edges[1] / 2,
                       edges[0] / 2, transform, w[0], w[1], w[2]);
  }
  double half_period() const {
    Vec3d i;
    for (int a = 0; a < 3; ++a)
      i[a] = std::pow(edges[(a + 1) % 3], 2) + std::pow(edges[(a + 2) % 3], 2);
    return half_period_of(i, {{aside * spin, spin, 0}});
  }
};

}  // namespace

// Its half turns wait for what a thousandth of its spin grows to, so that each is as late as digits
// were lost in the last: in floats they came after 15 to 20 s in place of 20.6.
TEST_CASE("rigid: a thin racket flips at its time again and again") {
  for (const ThinRacket& k :
       {ThinRacket{{{1, 0.4, 0.1}}, 1, 1e-3, 0.01}, ThinRacket{{{1, 0.4, 0.1}}, 3.7, 3e-4, 0.0037},
        ThinRacket{{{0.71, 0.33, 0.013}},
                   -2.3,
                   7e-4,
                   1.0 / 60,
                   R"(, "transform": {"axis": [0, 0, 1],
                   "angle": 90, "translate": [7, -3, 11]})",
                   {{-1, 0, 0}}}}) {
    RattleState r(3, "[0, 0, 0]", k.text(), k.dt);
    const auto own = [&](const Vec<3>& v) {
      return turned(back(r.world().table("b").download<rigid::Orientation<3>>("orientation")[0]),
                    v);
    };
    const Vec<3> middle = own(narrow<3>(k.middle));
    const double energy = r.measure("b.kinetic_energy"), every = k.half_period();
    double last = 0, before = 1, worst = 0;
    int flips = 0;
    for (long n = 1; flips < 10; ++n) {
      r.advance(1);
      const auto w = r.world().table("b").download<Vec<3>>("angular_velocity")[0];
      const double now = double(dot(own(w), middle)) / k.spin;
      worst = std::max(worst, std::abs(r.measure("b.kinetic_energy") / energy - 1));
      if (before * now < 0) {
        const double at = k.dt * (n - now / (now - before));
        CAPTURE(k.spin, every, flips, at - last);
        if (flips++ > 0) CHECK(at - last == Approx(every).epsilon(1e-3));
        last = at;
      }
      before = now;
      REQUIRE(n * k.dt < 12 * every);
    }
    CHECK(worst < 1e-6);
  }
}

TEST_CASE("rigid: a needle that spins at 1e4 rad/s keeps its energy") {
  RattleState r(3, "[0, 0, 0]",
                R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 0.001, 0.002]}},
               "angular_velocity": [10000, 3000, 10]})",
                1.0 / 60);
  const double energy = r.measure("b.kinetic_energy");
  r.advance(60);
  CHECK(r.measure("b.kinetic_energy") == Approx(energy).epsilon(1e-3));
}

TEST_CASE("rigid: forces and torques of others act for one step") {
  RattleState r(3, "[0, 0, 0]", R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}})",
                0.01);
  Table& t = r.world().table("b");
  t.column<Vec<3>>("force")[0] = {{500, 0, 0}};
  t.column<Vec<3>>("torque")[0] = {{0, 250, 0}};
  r.advance(2);
  CHECK(r.at<3>("velocity")[0] == Approx(500 * 0.01 / 1000).epsilon(1e-5));
  CHECK(r.at<3>("angular_velocity")[1] == Approx(250 * 0.01 / (1000 / 6.0)).epsilon(1e-5));
}

// By a t^2 / 2 about the axis of the torque, as what a force moves flies on the parabola.
TEST_CASE("rigid: a constant torque turns by the parabola itself, at any number of substeps") {
  for (const int substeps : {1, 4}) {
    const double dt = 0.01, moment = 1000 / 6.0;
    RattleState r(3, "[0, 0, 0]", R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}})", dt,
                  fmt::format(R"(, "substeps": {})", substeps));
    Table& t = r.world().table("b");
    for (int step = 0; step < 100; ++step)
      t.column<Vec<3>>("torque")[0] = {{0, Real(moment), 0}}, r.advance(1);
    // In floats each of 100 steps rounds a quaternion by 6e-8 or so, and a speed of up to 1 rad/s,
    // which the angle then sums.
    const auto q = t.download<rigid::Orientation<3>>("orientation")[0];
    CHECK(2 * std::asin(double(q[1])) == Approx(0.5).margin(sizeof(Real) == 4 ? 2e-5 : 1e-8));
    CHECK(r.at<3>("angular_velocity")[1] == Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("rigid: damping is exponential") {
  RattleState r(
      3, "[0, 0, 0]",
      R"({"shape": {"box": {"min": [0, 0, 0], "max": [1, 1, 1]}}, "velocity": [4, 0, 0], "angular_velocity": [0, 0, 2]})",
      0.01, R"(, "linear_damping": 2, "angular_damping": 0.5)");
  r.advance(100);
  CHECK(r.at<3>("velocity")[0] == Approx(4 * std::exp(-2.0)).epsilon(1e-4));
  CHECK(r.at<3>("angular_velocity")[2] == Approx(2 * std::exp(-0.5)).epsilon(1e-4));
}
