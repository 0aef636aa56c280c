#include "sim/expect/expect_order.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "finished_run.h"

using namespace rtsim;
using Catch::Matchers::Contains;

TEST_CASE("expect_order: the order is the slope of all errors, whichever way sizes are counted") {
  CHECK(observed_order({0.4, 0.2, 0.1}, {0.48, 0.12, 0.03}) == Approx(2));
  CHECK(observed_order({10, 20, 40}, {0.48, 0.12, 0.03}) == Approx(2));
  CHECK(observed_order({0.4, 0.2, 0.1}, {0.24, 0.12, 0.06}) == Approx(1));
  CHECK(std::isnan(observed_order({2, 1}, {std::nan(""), 1})));
  CHECK_THROWS_WITH(observed_order({2, 1}, {1, 0}), Contains("sub-run 1 has no error"));
}

TEST_CASE("expect_order: an order is read from the sub-runs' folders, and missed below its least") {
  FinishedRun run;
  ExpectSpec e = run.value("final", 5);
  e.order = {{{"/time/dt", {0.2, 0.1}}}, 0}, e.abs.reset();
  for (const auto& [name, q] : {std::pair("0.0", "5.4"), std::pair("0.1", "4.9")}) {
    const auto folder = run.folder.path / "expect" / name;
    std::filesystem::create_directories(folder);
    write_file(folder / "series.csv", std::string("step,time [s],s.o.q [m]\n0,0,") + q + "\n");
  }
  for (const double least : {1.9, 2.1}) {
    e.order->min = least;
    const ExpectResult r = run.check(e);
    CHECK(r.measured == Approx(2));
    CHECK(r.passed == (least < 2));
    CHECK_THAT(r.what, Contains("order of value s.o.q, final over /time/dt, errors 0.4, 0.1"));
  }
}
