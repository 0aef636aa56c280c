#include "sim/expect/expect.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "finished_run.h"

using namespace rtsim;
using Catch::Matchers::Contains;

TEST_CASE("expect: a value is taken at the end, the extremes, the mean, or a time between rows") {
  FinishedRun run;
  CHECK(run.check(run.value("final", 5)).passed);
  CHECK(run.check(run.value("0.75", 2.5)).passed);
  CHECK(run.check(run.value("2", 5)).passed);
  ExpectSpec w = run.value("min", 1);
  w.value = "s.o.w";
  CHECK(run.check(w).passed);
  w.at = "max", w.equals = 5;
  CHECK(run.check(w).passed);
  w.at = "mean", w.equals = 3;
  CHECK(run.check(w).passed);
}

TEST_CASE("expect: a series may be taken from the value, row by row") {
  FinishedRun run;  // q - w = -2, 1, -2, 2, 1
  ExpectSpec e = run.value("min", -2);
  e.value = "s.o.q - s.o.w";
  CHECK(run.check(e).passed);
  e.at = "mean", e.equals = 0;
  CHECK(run.check(e).passed);
  e.at = "0.25", e.equals = -0.5;
  CHECK(run.check(e).passed);
  e.value = "s.o.q - s.o.p";
  CHECK_THROWS_WITH(run.check(e), Contains("no series \"s.o.p\""));
  e.value = "s.o.q - ";
  CHECK_THROWS_WITH(run.check(e), Contains("no series \"\""));
}

// sin(2 pi (t - 0.1) / 0.8), and a tremble that crosses the mean on its own.
TEST_CASE("expect: the period of a series is that of its swings") {
  FinishedRun run;
  std::string rows = "step,time [s],s.o.q [m]\n";
  for (int i = 0; i <= 400; ++i) {
    const double t = 0.01 * i, tremble = i % 2 ? 0.2 : -0.2;
    rows += fmt::format("{},{},{}\n", i, t, 3 + std::sin(2 * M_PI * (t - 0.1) / 0.8) + tremble);
  }
  write_file(run.folder.path / "series.csv", rows);
  ExpectSpec e = run.value("period", 0.8);
  e.abs = 0.01;
  CHECK(run.check(e).passed);
  e.range = {0, 0.7};
  CHECK_THROWS_WITH(run.check(e), Contains("swings less than twice"));
}

TEST_CASE("expect: tolerances are absolute or relative to the expected figure") {
  FinishedRun run;
  ExpectSpec e = run.value("final", 4);
  e.abs = 0.99;
  CHECK_FALSE(run.check(e).passed);
  e.abs = 1.01;
  CHECK(run.check(e).passed);
  e.abs.reset(), e.rel = 0.24;
  const ExpectResult r = run.check(e);
  CHECK_FALSE(r.passed);
  CHECK(r.relative);
  CHECK(r.difference == Approx(0.25));
  CHECK(r.expected == 4);
  CHECK(r.measured == 5);
  e.rel = 0.26;
  CHECK(run.check(e).passed);
}

TEST_CASE("expect: a curve is compared where the file has points, in its own units") {
  FinishedRun run;
  // The file: x in quarter seconds, y = (q - 1) / 10 at x = 1, 5; the third point is out of range.
  ExpectSpec e = run.curve("# x, y\n1, 0.05\n5 0.25  # spaces do\n\n7;99\n");
  e.x_scale = 0.25, e.y_scale = 10, e.y_offset = 1;
  e.range = {0.5, 6};
  CHECK(run.check(e).passed);
  e.range = {0.5, 7};
  CHECK_FALSE(run.check(e).passed);
}

TEST_CASE("expect: the norms are the worst and the root of the mean square") {
  FinishedRun run;
  ExpectSpec e = run.curve("0 1\n0.5 2\n1 6\n2 9\n");  // off by 0, 0, 3, 4
  e.abs = 4;
  CHECK(run.check(e).difference == Approx(4));
  CHECK(run.check(e).expected == 9);
  e.norm = ExpectSpec::Norm::rms;
  CHECK(run.check(e).difference == Approx(std::sqrt(25.0 / 4)));
  e.abs.reset(), e.rel = 1;
  CHECK(run.check(e).difference == Approx(std::sqrt((0.25 + 16.0 / 81) / 4)));
}

TEST_CASE("expect: what cannot be compared is said, not passed") {
  FinishedRun run;
  CHECK_THROWS_WITH(run.check(run.value("2.5", 6)),
                    Contains("needs t = 2.5 s") && Contains("ends at 2 s"));
  CHECK_THROWS_WITH(run.check(run.value("finally", 6)), Contains("finally"));
  CHECK_THROWS_WITH(run.check(run.curve("1\n")), Contains("curve.csv:1"));
  ExpectSpec e = run.curve("1 3\n");
  e.range = {5, 6};
  CHECK_THROWS_WITH(run.check(e), Contains("nothing to compare"));
  e.curve = "s.o.p";
  CHECK_THROWS_WITH(run.check(e), Contains("no series \"s.o.p\""));
}

TEST_CASE("expect: a series that is not finite fails") {
  FinishedRun run;
  write_file(run.folder.path / "series.csv", "step,time [s],s.o.q [m]\n0,0,1\n1,1,nan\n");
  ExpectSpec e = run.value("final", 1);
  e.abs = 1e300;
  CHECK_FALSE(run.check(e).passed);
}

TEST_CASE("expect: the results stand in expect.json") {
  FinishedRun run;
  run.check(run.value("final", 7));
  const auto j = nlohmann::json::parse(read_file(run.folder.path / "expect.json"));
  REQUIRE(j.size() == 1);
  CHECK(j[0]["passed"] == false);
  CHECK(j[0]["expected"] == 7);
  CHECK(j[0]["measured"] == 5);
  CHECK(j[0]["source"] == "made up");
}
