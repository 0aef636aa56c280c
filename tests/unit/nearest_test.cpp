#include "base/nearest.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace rtsim;

namespace {

std::string offered(const std::string& name, const std::vector<std::string>& known) {
  return did_you_mean(name, known);
}

}  // namespace

TEST_CASE("nearest: a name is offered where one edit in three letters makes it") {
  const std::string water = R"(; did you mean "water"?)";
  CHECK(offered("watr", {"tank", "water"}) == water);    // one left out
  CHECK(offered("waater", {"tank", "water"}) == water);  // one too many
  CHECK(offered("wster", {"tank", "water"}) == water);   // another
  CHECK(offered("waetr", {"tank", "water"}) == water);   // two swapped
  CHECK(offered("tnak", {"tank", "water"}) == R"(; did you mean "tank"?)");
  CHECK(offered("lbn", {"lbm"}) == R"(; did you mean "lbm"?)");
  // Six edits of nineteen letters, and seven.
  CHECK(offered("kinematic_vixxxxxxy", {"kinematic_viscosity"}) ==
        R"(; did you mean "kinematic_viscosity"?)");
  CHECK(offered("kinematic_vxxxxxxxy", {"kinematic_viscosity"}).empty());
}

TEST_CASE("nearest: a name that has a letter in common is not offered") {
  const std::vector<std::string> stages{"lbm",  "pbd",   "pbf",   "emit",  "wind",
                                        "xpbd", "rigid", "smoke", "wcsph", "dfsph"};
  CHECK(offered("fem", stages).empty());
  CHECK(offered("mpm", stages).empty());
  CHECK(offered("u", {"v"}).empty());
  CHECK(offered("", {"v", "ab"}).empty());
  CHECK(offered("anything", {}).empty());
}

TEST_CASE("nearest: of two the nearer one is offered, of equals the first") {
  CHECK(offered("stiffnes", {"stiffened", "stiffness"}) == R"(; did you mean "stiffness"?)");
  CHECK(offered("bbb", {"abb", "cbb"}) == R"(; did you mean "abb"?)");
}
