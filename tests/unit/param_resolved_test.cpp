#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fake_stage.h"
#include "param/json_reader.h"
#include "param/resolved.h"

using namespace rtsim;

namespace {

nlohmann::ordered_json resolved(fake::Params p) {
  return resolved_json([&](Describe& d) { describe(d, p); }, 2,
                       [](const std::string& path) { return "file:" + path; });
}

}  // namespace

TEST_CASE("resolved: every value is there, in the order of its description") {
  fake::Params p;
  p.fluid.name = "water";
  p.boundary.names = {"tank"};
  p.table.path = "/a.csv";
  CHECK(resolved(p).dump() ==
        R"({"fluid":"water","boundary":["tank"],"stiffness":1000.0,"damping":0.0,"max_speed":null,)"
        R"("substeps":1,"quiet":false,"mode":"fast","weights":[1.0,2.0],"table":"file:/a.csv"})");
}

TEST_CASE("resolved: structs that may be absent appear where they are present") {
  fake::Params p;
  p.nozzle.emplace().width = 0.3;
  CHECK(resolved(p)["nozzle"].dump() == R"({"width":0.3,"direction":[0.0,-1.0]})");
}
