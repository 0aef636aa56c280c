#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "cache/durable.h"
#include "compare/compare.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;
using std::numbers::pi;
namespace fs = std::filesystem;

namespace {

// A wave that passes at `at`: height * exp(-((t - at) / 0.1)^2), every `dt` up to `end`.
std::string wave(double at, double height = 1, double dt = 0.02, double end = 2) {
  std::string text = "step,time [s],s.o.q [m]\n";
  for (int k = 0; k * dt < end + dt / 2; ++k) {
    const double x = (k * dt - at) / 0.1;
    text += fmt::format("{},{:.17g},{:.17g}\n", k, k * dt, height * std::exp(-x * x));
  }
  return text;
}

struct Logs {
  TemporaryFolder folder;

  Comparison compare(const std::string& a, const std::string& b, double apart, Tolerance t) const {
    CompareOptions o;
    o.a = folder.path / "a.csv", o.b = folder.path / "b.csv";
    write_file(o.a, a), write_file(o.b, b);
    o.tolerances = Tolerances(t);
    return compare_with_warp(o, apart);
  }
};

// Times near 1 s are rounded by 2e-16 s each; three such roundings, over a width of 0.1 s, times
// the steepest slope of exp(-x^2), 0.86, are 5e-15. The tails are below exp(-80).
constexpr Tolerance rounding{1e-14, 0};

// Swings that begin at `at` and go on to the end at 2 s; the last rows are `ends` instead.
std::string swings(double at, std::vector<double> ends = {}) {
  std::string text = "step,time [s],s.o.q [m]\n";
  for (int k = 0; k <= 100; ++k) {
    const double t = k * 0.02, x = t < at ? 0 : 1 - std::cos(2 * pi * (t - at) / 0.5);
    const int end = k - 101 + int(ends.size());
    text += fmt::format("{},{:.17g},{:.17g}\n", k, t, end < 0 ? x : ends[std::size_t(end)]);
  }
  return text;
}

std::string replaced(std::string text, const std::string& was, const std::string& is) {
  return text.replace(text.find(was), was.size(), is);
}

}  // namespace

TEST_CASE("a wave that comes late is the same wave within the time allowed, and not beyond") {
  const Logs logs;
  CHECK(logs.compare(wave(1), wave(1.06), 0.06, rounding).equal());
  CHECK(logs.compare(wave(1.06), wave(1), 0.06, rounding).equal());
  CHECK_FALSE(logs.compare(wave(1), wave(1.06), 0.04, {1e-3, 0}).equal());
}

TEST_CASE("warping moves a wave, it does not raise one") {
  const Logs logs;
  const Comparison c = logs.compare(wave(1), wave(1.04, 1.05), 0.1, {0.049, 0});
  REQUIRE(c.series.at(0).different == 1);  // the crest alone, whose nearest is the other crest
  CHECK(c.series[0].worst->a == Approx(1));
  CHECK(c.series[0].worst->b == Approx(1.05));
  CHECK_THAT(c.series[0].worst->where, Contains("t = 1 s") && Contains("in B t = 1.04 s"));
  CHECK(logs.compare(wave(1), wave(1.04, 1.05), 0.1, {0.051, 0}).equal());
}

TEST_CASE("logs of other steps are warped too, to half a step of the coarser one") {
  const Logs logs;
  // The slope of the wave is at most sqrt(2/e)/0.1 = 8.6 per second; times half of 0.02 s.
  CHECK(logs.compare(wave(1), wave(1.03, 1, 0.005), 0.06, {0.086, 0}).equal());
}

TEST_CASE("what cannot be warped is refused or told") {
  const Logs logs;
  CHECK_THROWS_WITH(logs.compare(wave(1), wave(1), 0.01, {}), Contains("widest gap"));
  const std::string none = "step,time [s],s.o.q [m]\n";
  CHECK_THROWS_WITH(logs.compare(wave(1), none, 0.1, {}), Contains("no rows yet"));
  CHECK_THAT(logs.compare(wave(1), wave(1, 1, 0.02, 1.5), 0.1, rounding).faults.at(0),
             Contains("B ends at t = 1.5 s"));
}

// Three times of 2 s are rounded, by 4e-16 s each; the steepest slope is 2 pi / 0.5 = 12.6.
TEST_CASE("what goes on as it did has no more than that to show behind the other's end") {
  const Logs logs;
  CHECK(logs.compare(swings(1), swings(1.06), 0.06, {2e-14, 0}).equal());
  CHECK(logs.compare(swings(1.06), swings(1), 0.06, {2e-14, 0}).equal());
}

TEST_CASE("what goes wrong in the last moment is not left out") {
  const Logs logs;
  const double nan = NAN;
  for (const std::vector<double>& ends :
       {std::vector{nan}, {nan, nan, nan}, {1.0, 40.0, 1e30}, {double(INFINITY)}}) {
    for (const double at : {1.0, 1.06}) {
      CAPTURE(ends, at);
      CHECK_FALSE(logs.compare(swings(1), swings(at, ends), 0.06, {1e-3, 1e-3}).equal());
      CHECK_FALSE(logs.compare(swings(at, ends), swings(1), 0.06, {1e-3, 1e-3}).equal());
    }
  }
  // In 0.06 s they change by 2 sin(pi 0.06 / 0.5) = 0.736 at most, on rows of 0.02 s by 0.2 % less.
  // The last row but one takes the place of the last, 1 - cos(2 pi 0.02 / 0.5) = 0.0314 off.
  const double last = 1 - std::cos(2 * pi * 1 / 0.5), allowed = 0.032;
  CHECK(logs.compare(swings(1), swings(1, {last + allowed + 0.73}), 0.06, {allowed, 0}).equal());
  CHECK_FALSE(
      logs.compare(swings(1), swings(1, {last + allowed + 0.74}), 0.06, {allowed, 0}).equal());
}

TEST_CASE("the time between two rows is enough, however it is rounded") {
  const Logs logs;
  CHECK(logs.compare(wave(1), wave(1.02), 0.02, rounding).equal());
  CHECK_FALSE(logs.compare(wave(1), wave(1.04), 0.02, {1e-3, 0}).equal());
}

TEST_CASE("units and names are held as without a warp") {
  const Logs logs;
  const Comparison c = logs.compare(wave(1), replaced(wave(1), "[m]", "[cm]"), 0.1, {});
  CHECK(c.faults == std::vector<std::string>{"s.o.q is in \"m\", in B in \"cm\""});
  const Comparison d = logs.compare(wave(1), replaced(wave(1), "s.o.q", "s.o.p"), 0.1, {});
  CHECK(d.faults == std::vector<std::string>{"B has no series s.o.q"});
  CHECK(d.notes.at(0) == "only B has the series s.o.p");
  const Comparison e = logs.compare(wave(1, 1, 0.02, 1.5), wave(1), 0.1, rounding);
  CHECK(e.equal());
  CHECK(e.notes.at(0) == "B goes on to t = 2 s");
}
