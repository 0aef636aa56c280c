#include <catch2/catch.hpp>

#include "cache/durable.h"
#include "sim/catalog.h"
#include "sim/expect/expect.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

std::string early_complaints(const Scene& scene) {
  Simulation sim = build(scene, Exec::cpu(1));
  try {
    check_expectations_early(scene, sim);
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::bad_input);
    return e.what();
  }
  return "";
}

// What is wrong with expectations of a run of 16 particles, before it ran.
std::string early_complaints(const std::string& expectations, const std::filesystem::path& folder) {
  const Scene scene = read_scene_text(R"({ "rtsim": 1, "dim": 2, "expect": [
)" + expectations + R"(],
  "time": { "dt": 1e-4, "frames": 1 },
  "objects": [
    { "name": "water", "kind": "particles", "spacing": 0.1,
      "fill": { "box": { "min": [0, 0], "max": [0.4, 0.4] } } },
    { "name": "tank", "kind": "boundary",
      "shape": { "box": { "min": [0, 0], "max": [1, 1] }, "inside": true } } ],
  "stages": [ { "type": "wcsph", "fluid": "water", "boundary": ["tank"] } ],
  "output": [ { "object": "water", "columns": ["velocity", "pressure"] } ] })",
                                      "scene.json", folder, {}, stage_catalog());
  return early_complaints(scene);
}

std::string value(const std::string& name) {
  return R"({ "value": ")" + name + R"(", "equals": 1, "rel": 1, "source": "made up" })";
}
std::string curve(const std::string& name, const std::string& file) {
  return R"({ "curve": ")" + name + R"(", "file": ")" + file +
         R"(", "range": [1, 2], "rel": 1, "source": "made up" })";
}
std::string profile(const std::string& name) {
  return R"({ "profile": ")" + name +
         R"(", "from": [0, 0], "to": [0, 1], "width": 1, "line": [1, 0], "rel": 1, "source": "" })";
}

}  // namespace

TEST_CASE("expect_early: what a run will have is not complained of before it") {
  const TemporaryFolder folder;
  write_file(folder.path / "front.csv", "1 2\n3 4\n");
  CHECK(early_complaints(value("wcsph.water.mass") + "," + value("total.kinetic_energy") + "," +
                             curve("wcsph.water.front", "front.csv") + "," +
                             profile("water.pressure") + "," + profile("water.velocity.y") + "," +
                             profile("water.position.x"),
                         folder.path) == "");
}

TEST_CASE(
    "expect_early: before the run everything it will not have is told at once, with its place") {
  const TemporaryFolder folder;
  write_file(folder.path / "torn.csv", "1 2\n3\n");
  write_file(folder.path / "late.csv", "3 4\n");
  write_file(folder.path / "empty.csv", "# x y\n");
  const std::string all = early_complaints(
      value("wcsph.water.mas") + ",\n" + curve("wcsph.water.frnt", "torn.csv") + ",\n" +
          curve("wcsph.water.front", "late.csv") + ",\n" + curve("wcsph.water.front", "empty.csv") +
          ",\n" + curve("wcsph.water.front", "none.csv"),
      folder.path);
  const std::string at = folder.path.string();
  CHECK_THAT(
      all,
      Contains(
          R"(scene.json:2:3: /expect/0/value: no series "wcsph.water.mas"; did you mean "wcsph.water.mass"?)"));
  CHECK_THAT(
      all,
      Contains(
          R"(scene.json:3:3: /expect/1/curve: no series "wcsph.water.frnt"; did you mean "wcsph.water.front"?)"));
  CHECK_THAT(all, Contains("/expect/1/file: " + at + "/torn.csv:2: wants two numbers"));
  CHECK_THAT(all, Contains("scene.json:4:33: /expect/2/file: " + at +
                           "/late.csv: no point of it lies in \"range\""));
  CHECK_THAT(all, Contains("/expect/3/file: " + at + "/empty.csv: no point of it is there"));
  CHECK_THAT(all, Contains("/expect/4/file: " + at + "/none.csv: No such file"));
}

TEST_CASE("expect_early: before the run every sub-run of an order is held against the scene") {
  const auto order = [](const std::string& vary) {
    const std::string text = R"({ "value": "wcsph.water.mass", "equals": 1, "source": "made up",
  "order": { "min": 1, "vary": )" +
                             vary + " } }";
    try {
      return early_complaints(text, ".");
    } catch (const Error& e) {
      return std::string(e.what());  // of the reader
    }
  };
  CHECK(order(R"({ "pointer": "/time/dt", "values": [2e-4, 1e-4] })") == "");
  CHECK_THAT(order(R"([{ "pointer": "/time/dt", "values": [2e-4, 1e-4] },
                       { "pointer": "/objects/0/spacin", "values": [0.1, 0.05] }])"),
             Contains("/expect/0/order/vary: --set /objects/0/spacin=0.1: ") &&
                 Contains("did you mean \"spacing\"?"));
  CHECK_THAT(order(R"({ "pointer": "/time/dt", "values": [1e-4] })"),
             Contains("/expect/0/order/vary: wants two values"));
  CHECK_THAT(order(R"({ "pointer": "/time/dt", "values": [2e-4, 1e-4, 3e-4] })"),
             Contains("rise or fall throughout"));
  CHECK_THAT(order(R"([{ "pointer": "/time/dt", "values": [2e-4, 1e-4] },
                       { "pointer": "/objects/0/spacing", "values": [0.1] }])"),
             Contains("as many values"));
}

TEST_CASE("expect_early: before the run a profile is held against objects, outputs and columns") {
  const auto complaint = [](const std::string& name) {
    const std::string all = early_complaints(profile(name), ".");
    return all.substr(all.find("profile: ") + 9);
  };
  CHECK_THAT(complaint("watr.pressure"),
             Contains(R"(no HDF5 frames of "watr"; did you mean "water"?)"));
  CHECK_THAT(complaint("tank.volume"), Contains(R"(add an output of "tank")"));
  CHECK_THAT(complaint("water.density"), Contains(R"(leaves out the column "density")"));
  CHECK_THAT(complaint("water.presure"), Contains("presure"));
  CHECK_THAT(complaint("pressure"), Contains("wants <object>.<column>"));
  CHECK_THAT(complaint("water.velocity"), Contains("add .x or .y"));
  CHECK_THAT(complaint("water.velocity.z"), Contains("add .x or .y"));
  CHECK_THAT(complaint("water.pressure.x"), Contains("name it without"));
}

namespace {

// A stage that gives the cells of a grid a column, and does nothing.
struct Air {
  ObjectName air;
};
void describe(Describe& d, Air& p) {
  static constexpr const char* grids[] = {"grid"};
  d.role("air", p.air, grids, "Where.");
}
struct Still final : Stage {
  void advance(World&, const Step&) override {}
};
std::unique_ptr<Stage> make_still(const Air& p, World& world) {
  world.table(p.air.name).add<Vec<2>>({"velocity", "m/s"});
  return std::make_unique<Still>();
}

// What is wrong with a profile of a square of 4 x 4 cells of 0.25 m, before it ran.
std::string grid_complaints(const std::string& rest) {
  const TemporaryFolder folder;
  write_file(folder.path / "q.csv", "0.1 2\n0.2 4\n");
  const std::vector<StageType> types = {stage_type<Air>("still", "", "", {}, "", make_still)};
  return early_complaints(read_scene_text(R"({ "rtsim": 1, "dim": 2,
  "expect": [ { "from": [0.5, 0.1], "to": [0.5, 1], "abs": 1, "source": "made up", )" +
                                              rest + R"( } ],
  "time": { "dt": 1e-4, "frames": 1 },
  "objects": [ { "name": "air", "kind": "grid", "spacing": 0.25, "min": [0, 0], "max": [1, 1] } ],
  "stages": [ { "type": "still", "air": "air" } ], "output": [ { "object": "air" } ] })",
                                          "scene.json", folder.path, {}, types));
}

}  // namespace

TEST_CASE("expect_early: before the run a profile of a grid is held against its cells") {
  CHECK(grid_complaints(R"("profile": "air.velocity.x", "file": "q.csv")") == "");
  CHECK_THAT(grid_complaints(R"("profile": "air.velocity", "file": "q.csv")"),
             Contains("/expect/0/profile: ") && Contains("add .x or .y"));
  CHECK_THAT(grid_complaints(R"("profile": "air.velocity.x", "file": "q.csv", "x_offset": -0.1)"),
             Contains("/expect/0/file: y = 0.1 m is not between centres of cells"));
  CHECK_THAT(grid_complaints(R"("profile": "air.velocity.x", "file": "q.csv", "range": [5, 6])"),
             Contains("no point of it lies in \"range\""));
  CHECK_THAT(grid_complaints(R"("profile": "air.velocity.x", "width": 1, "line": [1, 0])"),
             Contains("\"air\" is of kind grid; give a \"file\""));
  CHECK_THAT(early_complaints(R"({ "profile": "water.pressure", "from": [0, 0], "to": [0, 1],
    "file": "nowhere.csv", "rel": 1, "source": "" })",
                              "."),
             Contains("\"water\" is of kind particles; give \"width\" and \"line\""));
}
