#include "sweep/sweep.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "sweep/condition.h"
#include "sweep/draws.h"

namespace rtsim {
namespace {

bool holds(const std::string& text) {
  const std::vector<std::string> names = {"nu", "h", "mode"};
  const std::vector<Operand> values = {0.5, 2.0, std::string("fast")};
  return Condition(text, names).holds([&](std::size_t k) { return values[k]; });
}

DrawSpec draws_of(int count) {
  DrawSpec s;
  s.count = count, s.seed = 7;
  DrawnAxisSpec a;
  a.from = 1, a.to = 100;
  s.axes.push_back(a);
  a.distribution = DrawnAxisSpec::Distribution::log_uniform;
  s.axes.push_back(a);
  a.distribution = DrawnAxisSpec::Distribution::normal, a.mean = 3, a.deviation = 2;
  s.axes.push_back(a);
  return s;
}

const std::vector<std::string> names = {"a", "b", "c"};

}  // namespace

TEST_CASE("sweep: conditions bind as in C") {
  CHECK(holds("nu < h"));
  CHECK(holds("1 + 2 * 3 == 7"));
  CHECK(holds("(1 + 2) * 3 == 9"));
  CHECK(holds("2 - 1 - 1 == 0"));
  CHECK(holds("8 / 4 / 2 == 1"));
  CHECK(holds("-h + 3 >= 1"));
  CHECK(holds("nu > 1 || h > 1 && mode == \"fast\""));
  CHECK_FALSE(holds("(nu < 1 || h > 1) && mode != \"fast\""));
  CHECK(holds("!(h <= 1)"));
  CHECK_FALSE(holds("mode == 2"));
}

TEST_CASE("sweep: a condition that is none says why") {
  CHECK_THROWS_WITH(holds("nu < modes"), "there is no axis \"modes\"; did you mean \"mode\"?");
  CHECK_THROWS_WITH(holds("nu <"), "ends where a value is due");
  CHECK_THROWS_WITH(holds("nu < 1 1"), "cannot read \"1\"");
  CHECK_THROWS_WITH(holds("(nu < 1"), "a ) is missing");
  CHECK_THROWS_WITH(holds("mode < 1"), "\"fast\" is a text, and < wants a number");
}

TEST_CASE("sweep: ranges meet their last value") {
  AxisSpec a;
  a.from = 0.1, a.to = 0.5, a.step = 0.1;
  CHECK(values_of(a) == std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5"});
  a.step.reset(), a.count = 3, a.from = 1, a.to = 100, a.spacing = Spacing::log;
  CHECK(values_of(a) == std::vector<std::string>{"1", "10", "100"});
  a.spacing = Spacing::linear;
  CHECK(values_of(a) == std::vector<std::string>{"1", "50.5", "100"});
}

TEST_CASE("sweep: the normal quantile is the inverse of the distribution") {
  // Abramowitz & Stegun, Handbook of Mathematical Functions, table 26.5.
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-12));
  CHECK(normal_quantile(0.975) == Approx(1.959963985).epsilon(1e-9));
  CHECK(normal_quantile(0.001) == Approx(-3.090232306).epsilon(1e-9));
  for (const double p : {1e-15, 1e-6, 0.3, 0.9})
    CHECK(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)) == Approx(p).epsilon(1e-10));
}

TEST_CASE("sweep: a draw does not depend on how many there are") {
  const DrawSpec few = draws_of(3), many = draws_of(50);
  for (int i = 0; i < 3; ++i) CHECK(random_draw(few, names, i) == random_draw(many, names, i));
  CHECK(random_draw(few, names, 0) != random_draw(few, names, 1));
}

TEST_CASE("sweep: random draws have the mean and the spread of their distribution") {
  constexpr int n = 4000;
  const DrawSpec s = draws_of(n);
  double sum[3] = {}, squares[3] = {};
  for (int i = 0; i < n; ++i) {
    const auto draw = random_draw(s, names, i);
    for (int a = 0; a < 3; ++a) {
      const double x = a == 1 ? std::log(std::stod(draw[1])) : std::stod(draw[std::size_t(a)]);
      sum[a] += x, squares[a] += x * x;
    }
  }
  // Uniform on 1..100 and, of the logarithm, on 0..ln 100; normal (3, 2).
  const double mean[3] = {50.5, 0.5 * std::log(100.0), 3};
  const double deviation[3] = {99 / std::sqrt(12.0), std::log(100.0) / std::sqrt(12.0), 2};
  for (int a = 0; a < 3; ++a) {
    // The mean of n draws lies within four of its own deviations but once in 16,000.
    CHECK(sum[a] / n == Approx(mean[a]).margin(4 * deviation[a] / std::sqrt(n)));
    // That of n squares has a relative deviation of sqrt(2 / n) for the normal, less for the
    // others.
    const double variance = squares[a] / n - sum[a] * sum[a] / n / n;
    CHECK(variance / (deviation[a] * deviation[a]) == Approx(1).margin(4 * std::sqrt(2.0 / n)));
  }
}

TEST_CASE("sweep: a Latin hypercube has one draw in each slice of each axis") {
  constexpr int n = 20;
  const DrawSpec s = draws_of(n);
  const auto draws = latin_hypercube(s, names);
  std::set<int> slices[3];
  for (const auto& draw : draws) {
    // The share of the distribution below each draw; six digits of a value move it by far less
    // than a slice.
    const double shares[3] = {(std::stod(draw[0]) - 1) / 99,
                              std::log(std::stod(draw[1])) / std::log(100.0),
                              0.5 * std::erfc(-(std::stod(draw[2]) - 3) / 2 / std::sqrt(2.0))};
    for (int a = 0; a < 3; ++a) slices[a].insert(int(shares[a] * n));
  }
  for (const auto& found : slices) CHECK(found.size() == n);
}

TEST_CASE("sweep: names of cases are words that depend on the values alone") {
  const std::vector<SweepParameter> p = {{"nu", {"/a"}}, {"mode", {"/b"}}};
  CHECK(case_name(p, {"1e-06", "\"fast\""}) == "nu=1e-06_mode=fast");
  const std::string odd = case_name(p, {"1", "[1,2]"});
  CHECK(odd.find('[') == odd.npos);
  CHECK(odd != case_name(p, {"1", "[1,3]"}));
  CHECK(case_name(p, {"1", "\"../x\""}).find('/') == std::string::npos);
}

}  // namespace rtsim
