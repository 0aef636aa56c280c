#pragma once
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cache/durable.h"
#include "sim/expect/expect.h"
#include "support/temporary_folder.h"

namespace rtsim {

// A run whose one series is q(t) = 1 + 2 t at t = 0, 0.5, ..., 2, and w = (3, 1, 5, 2, 4).
struct FinishedRun {
  TemporaryFolder folder;
  Scene scene;

  FinishedRun() {
    write_file(folder.path / "series.csv",
               "step,time [s],s.o.q [m],s.o.w\n0,0,1,3\n1,0.5,2,1\n2,1,3,5\n3,1.5,4,2\n4,2,5,4\n");
  }

  ExpectSpec value(const std::string& at, double equals) const {
    ExpectSpec e;
    e.value = "s.o.q", e.at = at, e.equals = equals, e.abs = 1e-12, e.source = "made up";
    return e;
  }
  ExpectSpec curve(const std::string& points) const {
    const auto file = folder.path / "curve.csv";
    write_file(file, points);
    ExpectSpec e;
    e.curve = "s.o.q", e.file.path = file.string(), e.abs = 1e-12;
    return e;
  }
  ExpectResult check(const ExpectSpec& e) {
    scene.expect = {e};
    const auto results = check_expectations(scene, folder.path);
    REQUIRE(results.size() == 1);
    return results[0];
  }
};

}  // namespace rtsim
