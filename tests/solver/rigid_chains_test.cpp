#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "bodies/joints/joint_order.h"
#include "support/joined.h"

using namespace rtsim;

namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;
constexpr bool in_doubles = sizeof(Real) == 8;

// Links of 0.1 m and 0.1 kg down from the origin, and a load at the end; gravity is turned by an
// angle, so that all starts at that angle from where it would hang.
Joined chain(int links, double angle, double load, double dt, int threads = 1,
             const std::string& stage = "") {
  return Joined(
      3, fmt::format("[{}, {}, 0]", -g * std::sin(angle), -g * std::cos(angle)),
      fmt::format(R"({{"name": "links", "mass": 0.1, "shape": {{"capsule": {{"a": [0, -0.02, 0],
                      "b": [0, -0.08, 0], "radius": 0.02}}}},
                      "array": {{"count": [1, {}, 1], "step": [0, -0.1, 0]}}}},
                     {{"name": "load", "mass": {}, "shape": {{"sphere": {{"centre": [0, {}, 0], "radius": 0.2}}}}}})",
                  links, load, -0.1 * links - 0.2),
      fmt::format(R"({{"name": "top", "kind": "ball", "a": "links[0]", "at": [0, 0, 0]}},
                     {{"kind": "ball", "a": "links", "b": "links", "at": [0, -0.1, 0]}},
                     {{"name": "end", "kind": "ball", "a": "links[-1]", "b": "load", "at": [0, {}, 0]}})",
                  -0.1 * links),
      dt, stage, threads);
}

}  // namespace

TEST_CASE("rigid: a chain of 1000 links holds ten thousand times a link's mass", "[long]") {
  // It hangs straight: whatever it sinks is stretch. One step is 4 substeps; within 0.5 s a chain
  // whose joints gave way would fall by 1.2 m. The force at the top is the whole weight.
  Joined r = chain(1000, 0, 1000, 1.0 / 240);
  const double start = r.at("position", 1000)[1];
  r.advance(120);
  const double sunk = start - r.at("position", 1000)[1];
  CAPTURE(sunk, r.measure("b.joint_error"));
  CHECK(std::abs(sunk) < 1e-4 * 100);  // 0.01 % of its length
  CHECK(r.measure("b.joint_error") < 1e-4);
  CHECK(r.measure("b.top.force") == Approx(1100 * g).epsilon(1e-3));
  CHECK(r.measure("b.end.force") == Approx(1000 * g).epsilon(1e-3));
}

TEST_CASE("rigid: a chain swings with its load and does not stretch") {
  // 100 links at 60 degrees with 10,000 times a link's mass: nearly a pendulum of 10.2 m, whose
  // speed at the bottom is sqrt(2 g l (1 - cos)); the chain has 1 % of the mass.
  const double t = pi / 3;
  Joined r = chain(100, t, 1000, 1.0 / 240);
  const double start = r.energy();
  double worst = 0, fastest = 0, longest = 0;
  for (int n = 0; n < 480; ++n) {
    r.advance(1);
    worst = std::max(worst, r.measure("b.joint_error"));
    fastest = std::max(fastest, norm(r.at("velocity", 100)));
    longest = std::max(longest, norm(r.at("position", 100)));
  }
  CAPTURE(worst, fastest, longest, r.energy() - start);
  CHECK(worst < 1e-4);
  CHECK(longest < 10.2 * (1 + 1e-4));
  CHECK(fastest == Approx(std::sqrt(2 * g * 10.2 * 0.5)).epsilon(0.01));
  // Of an exchange of 51 kJ.
  CHECK(std::abs(r.energy() - start) < 51e3 * (in_doubles ? 1e-3 : 2e-3));
}

namespace {

// Let go from level: the chain whips and its links rattle. Kicks before drifts measure the energy
// of half a substep ago, h / 2 times what gravity does in a second. That is most where a pendulum
// of that length falls fastest: v = sqrt(2 g l sin) at a sine of 1 / sqrt 3, which is 0.6204
// v(down).
void whip(int links, double time, int substeps) {
  const double dt = 1.0 / 200, h = dt / substeps, load = 1000;
  const double length = 0.1 * links + 0.2, mass = load + 0.1 * links;
  Joined r = chain(links, pi / 2, load, dt, 1, fmt::format(R"(, "substeps": {})", substeps));
  const double start = r.energy(), fall = 0.6204 * std::sqrt(2 * g * length);
  const double swing = h / 2 * mass * g * fall;
  double least = start, most = start, fastest = 0, error = 0;
  for (int n = 0; n < std::lround(time / dt); ++n) {
    r.advance(1);
    least = std::min(least, r.energy()), most = std::max(most, r.energy());
    fastest = std::max(fastest, r.measure("b.kinetic_energy"));
    error = std::max(error, r.measure("b.joint_error"));
  }
  CAPTURE(links, substeps, start, (least - start) / swing, (most - start) / swing, fastest, error);
  CHECK(least - start > -1.1 * swing);
  CHECK(most - start < 1.1 * swing);
  // All that it falls, to where it hangs straight but for the load's own turn.
  const double drop = g * (load * length + 0.1 * links * 0.05 * links);
  CHECK(fastest == Approx(drop).epsilon(2e-3));
  // Links that turn at 30 rad/s leave (w h)^2 / 2 of their 0.05 m.
  CHECK(error < 0.05 * 0.5 * 30 * 30 * h * h);
}

}  // namespace

TEST_CASE("rigid: a chain let go from level whips and does not burst", "[long]") {
  for (const int substeps : {2, 4, 8}) whip(40, 1.5, substeps);
  whip(100, 2.5, 2);  // whose shortest waves turn by 8 rad in a substep
}

TEST_CASE("rigid: a chain of 1000 links and 100 m whips and does not burst", "[slow]") {
  whip(1000, 6, 4);
}

namespace {

// Links drawn at random, of one length, joined by balls or hinges, that start off level and spin;
// the last is a load of up to a hundred times a link, or of as little.
struct Drawn {
  std::mt19937 random;
  int dim, links;
  double length, load, spin, tilt;

  Drawn(unsigned seed) : random(seed) {
    dim = seed % 2 ? 2 : 3, links = int(between(1, 13));
    length = std::pow(10, between(-0.7, 0.3)), load = std::pow(10, between(-2, 2));
    spin = between(0, 1) < 0.5 ? 0 : between(-6, 6), tilt = between(0.2, 1.5);
  }
  double between(double low, double high) {
    return low + (high - low) * double(random()) / 4294967296.0;
  }
  std::string vec(double x, double y, double z) const {
    return dim == 2 ? fmt::format("[{}, {}]", x, y) : fmt::format("[{}, {}, {}]", x, y, z);
  }
  std::string body(int k) const {
    const double y = -length * (k + 0.5), r = 0.05 * length, half = 0.4 * length;
    return fmt::format(R"({{"name": "l{}", "mass": {}, "shape": {{"box": {{"min": {}, "max": {}}}}},
                           "velocity": {}, "angular_velocity": {}}})",
                       k, k + 1 == links ? load : 1, vec(-r, y - half, -r), vec(r, y + half, r),
                       vec(-spin * y, 0, 0),
                       dim == 2 ? fmt::format("[{}]", spin) : vec(0, 0, spin));
  }
  std::string joint(const std::string& a, const std::string& b, int k) const {
    return fmt::format(R"({{"kind": "{}", "a": "{}"{}, "at": {}}})", dim == 2 ? "hinge" : "ball", a,
                       b.empty() ? "" : fmt::format(R"(, "b": "{}")", b), vec(0, -length * k, 0));
  }
  Joined run(double dt) const {
    std::string bodies, joints;
    for (int k = 0; k < links; ++k) {
      const std::string l = fmt::format("l{}", k);
      bodies += (k ? "," : "") + body(k);
      joints += k ? "," + joint(fmt::format("l{}", k - 1), l, k) : joint(l, "", 0);
    }
    return Joined(dim, vec(-g * std::sin(tilt), -g * std::cos(tilt), 0), bodies, joints, dt,
                  R"(, "substeps": 1)");
  }
};

void check_gaps(unsigned from, unsigned to) {
  for (unsigned seed = from; seed <= to; ++seed) {
    const Drawn chain(seed);
    for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 120, 1.0 / 240}) {
      Joined r = chain.run(dt);
      double gap = 0;
      for (int n = 0; n < std::lround(1 / dt); ++n)
        r.advance(1), gap = std::max(gap, r.measure("b.joint_error"));
      CAPTURE(seed, chain.dim, chain.links, chain.length, chain.load, chain.spin, dt);
      // Left to the next substep what turns leave open, (w h)^2 / 2 of an arm, was up to a tenth.
      CHECK(gap < 1e-4 * chain.length);
    }
  }
}

}  // namespace

TEST_CASE("rigid: chains stay together at the frame's own step, in one substep") {
  check_gaps(1, 12);
}

TEST_CASE("rigid: so do many of them", "[long]") { check_gaps(13, 150); }

TEST_CASE("rigid: a chain between two walls hangs in a catenary") {
  // S / d = 1.5: sag / d = 0.5026333 (reference figures of a catenary). 60 links of 0.1 m start as
  // three sides of a rectangle; damping brings them to rest. 60 links hang by O(1 / 60^2) off.
  const auto links = [](const char* name, const char* ends, const char* array) {
    return fmt::format(
        R"({{"name": "{}", "mass": 0.1, "shape": {{"capsule": {{{}, "radius": 0.01}}}}, "array": {}}})",
        name, ends, array);
  };
  const auto ball = [](const char* a, const char* b, double x, double y) {
    return fmt::format(R"({{"kind": "ball", "a": "{}" {}, "at": [{}, {}, 0]}})", a,
                       *b ? fmt::format(R"(, "b": "{}")", b) : "", x, y);
  };
  Joined r(3, "[0, -9.81, 0]",
           links("l", R"("a": [0, -0.02, 0], "b": [0, -0.08, 0])",
                 R"({"count": [1, 10, 1], "step": [0, -0.1, 0]})") +
               "," +
               links("m", R"("a": [0.02, -1, 0], "b": [0.08, -1, 0])",
                     R"({"count": [40, 1, 1], "step": [0.1, 0, 0]})") +
               "," +
               links("r", R"("a": [4, -0.98, 0], "b": [4, -0.92, 0])",
                     R"({"count": [1, 10, 1], "step": [0, 0.1, 0]})"),
           ball("l[0]", "", 0, 0) + "," + ball("l", "l", 0, -0.1) + "," +
               ball("l[-1]", "m[0]", 0, -1) + "," + ball("m", "m", 0.1, -1) + "," +
               ball("m[-1]", "r[0]", 4, -1) + "," + ball("r", "r", 4, -0.9) + "," +
               ball("r[-1]", "", 4, 0),
           1.0 / 60, R"(, "linear_damping": 2, "angular_damping": 2)");
  r.advance(600);
  double lowest = 0;
  for (std::size_t k = 0; k < 60; ++k) lowest = std::min(lowest, r.at("position", k)[1]);
  CHECK(-lowest / 4 == Approx(0.5026333).epsilon(2e-3));
}

TEST_CASE("rigid: joints give the same bits for any number of threads") {
  const auto hash = [](int threads) {
    Joined r = chain(20, 1.5, 5, 1.0 / 120, threads);
    r.advance(30);
    return r.world().state_hash();
  };
  CHECK(hash(1) == hash(2));
  CHECK(hash(1) == hash(5));
}

TEST_CASE("rigid: trees of joints are eliminated without filling in, hubs as well") {
  std::vector<JointEnds> star, chain, ring;
  for (Index k = 0; k < 1000; ++k) star.push_back({0, k + 1}), chain.push_back({k, k + 1});
  for (Index k = 0; k < 100; ++k) ring.push_back({k, (k + 1) % 100});
  // A tree has two entries a joint: to its two bodies.
  CHECK(order_joints(star, 1001).rows.size() == 2000);
  CHECK(order_joints(chain, 1001).rows.size() == 2000);
  // A ring of n: two a joint, and one for each but the last two of its joints, plus where it
  // closes.
  CHECK(order_joints(ring, 100).rows.size() < 400);
}

TEST_CASE("rigid: what is wrong with joints is said all at once, at its place") {
  const auto message = [](const std::string& joints) {
    try {
      Joined(3, "[0, 0, 0]",
             R"({"name": "a", "shape": {"sphere": {"centre": [0, 0, 0], "radius": 1}},
                 "array": {"count": [3, 1, 1], "step": [3, 0, 0]}},
                {"name": "b", "shape": {"sphere": {"centre": [0, 9, 0], "radius": 1}},
                 "array": {"count": [2, 1, 1], "step": [3, 0, 0]}})",
             joints, 0.01);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  const std::string all = message(
      R"({"kind": "ball", "a": "aa", "b": "c", "at": [0, 0, 0]},
         {"kind": "hinge", "a": "a", "b": "b", "at": [0, 0, 0], "axis": [0, 0, 1], "limits": [1, 2]},
         {"kind": "ball", "a": "a[3]", "at": [0, 0, 0]})");
  CHECK_THAT(all, Contains("/objects/0/joints/0/a: there is no body 'aa'"));
  CHECK_THAT(all, Contains("/objects/0/joints/0/b: there is no body 'c'"));
  CHECK_THAT(all, Contains("/objects/0/joints/1/b: has 2 copies and \"a\" has 3"));
  CHECK_THAT(all, Contains("/objects/0/joints/1/limits: are [1, 2], but the joint starts at 0"));
  CHECK_THAT(all, Contains("/objects/0/joints/2/a: 'a' has 3 copies, [0] to [2]"));
  const std::string read = message(
      R"({"name": "j", "kind": "hinge", "a": "a", "at": [0, 0, 0], "limits": [2, 1]},
         {"name": "j", "kind": "distance", "a": "a", "at": [0, 0, 0], "to": [0, 0, 0]},
         {"kind": "slider", "a": "a", "axis": [1, 0, 0], "cone": 1})");
  CHECK_THAT(read, Contains("/objects/0/joints/0/axis: missing or zero"));
  CHECK_THAT(read, Contains("/objects/0/joints/0/limits: must be [least, most]"));
  CHECK_THAT(read, Contains("/objects/0/joints/1/to: must be apart from \"at\""));
  CHECK_THAT(read, Contains("/objects/0/joints/2/at: missing"));
  CHECK_THAT(read, Contains("/objects/0/joints/2/cone: is for \"ball\""));
  CHECK_THAT(read, Contains("/objects/0/joints: 0 and 1 are both named \"j\""));
}
