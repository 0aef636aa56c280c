#include "param/curve_file.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Points = std::vector<std::pair<double, double>>;

TEST_CASE("curve_file: the first line may name the columns, and no other may") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "curve.csv").string();
  const auto read = [&](const std::string& text) {
    std::ofstream(path) << text;
    return read_curve(path);
  };
  const Points two = {{0, 1.5}, {2, -3}};
  CHECK(read("0,1.5\n2,-3\n") == two);
  CHECK(read("# gauge 4\n\ntime [s], level [m]\r\n0, 1.5\r\n2; -3\r\n") == two);
  CHECK(read("\"t\"\t\"h\"\n0 1.5 # first\n2 -3") == two);
  CHECK(read("time,inflow\n0,1.5\n2,-3\n") == two);  // which begins as infinity does
  const auto wants = Catch::Matchers::Contains("wants two numbers, x and y");
  CHECK_THROWS_WITH(read("0,1.5\ntime,level\n2,-3\n"), Catch::Matchers::Contains(":2: ") && wants);
  CHECK_THROWS_WITH(read("t,h\nt,h\n0,1\n"), Catch::Matchers::Contains(":2: ") && wants);
  // A slip of the pen is not a name.
  CHECK_THROWS_WITH(read("O.5,1.5\n2,-3\n"), Catch::Matchers::Contains(":1: ") && wants);
}
