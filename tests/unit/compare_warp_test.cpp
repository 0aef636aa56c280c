#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.h"
#include "cache/durable.h"
#include "compare/compare.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;
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
