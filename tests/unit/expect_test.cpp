#include "sim/expect.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cache/durable.h"
#include "cache/frame_writer.h"
#include "sim/catalog.h"
#include "support/temporary_folder.h"

using namespace rtsim;
using Catch::Matchers::Contains;

namespace {

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

FrameColumn column(const std::string& name, int components, const std::vector<float>& values) {
  FrameColumn c{.name = name, .unit = "m", .type = {Scalar::f32, components}, .bytes = {}};
  c.bytes.resize(values.size() * sizeof(float));
  std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

// Particles at heights 0.1, 0.2, ..., 0.9 with pressure 1000 (1 - y), and one away from the line.
void write_column_of_water(const std::filesystem::path& folder) {
  std::vector<float> x, p;
  for (int i = 1; i < 10; ++i) {
    const float y = 0.1f * float(i);
    x.insert(x.end(), {0.5f, y, 0.5f}), p.push_back(1000 * (1 - y));
  }
  x.insert(x.end(), {0.9f, 0.5f, 0.5f}), p.push_back(-77);
  Frame frame{.index = 3, .step = 30, .time = 0.3, .files = {}};
  Output output;
  output.object = "water";
  frame.files.push_back({output,
                         {"water",
                          Kind::particles,
                          3,
                          0.1,
                          Index(p.size()),
                          {column("position", 3, x), column("pressure", 1, p)}}});
  LineLog log(folder / "frames.jsonl");
  log.append(commit_line(frame, write_frame(folder, {"run", 1}, frame)));
  log.sync();
}

ExpectSpec pressure_profile() {
  ExpectSpec e;
  e.profile = "water.pressure";
  e.from = {{0.5, 0, 0.5}}, e.to = {{0.5, 1, 0.5}};
  e.width = 0.2;
  e.line = {1000, 0};
  e.abs = 0.1;
  return e;
}

}  // namespace

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

TEST_CASE("expect: a profile compares the rows near a line of the last frame") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  CHECK(run.check(e).passed);
  e.line = {1000, 500, 100};  // straight pieces between three values: off by 0.2 (y - 0.5) 1000
  const ExpectResult r = run.check(e);
  CHECK_FALSE(r.passed);
  CHECK(r.difference == Approx(80).epsilon(1e-4));
  e.range = {0, 0.5};
  CHECK(run.check(e).passed);
  e.range.clear(), e.line = {1000, 0}, e.width = 0.5;  // now the stray particle counts
  CHECK_FALSE(run.check(e).passed);
}

TEST_CASE("expect: slices of a profile are averaged before they are compared") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  e.line = {900,
            100};  // off by 100 - 200 y: nothing on the whole, 50 in the mean of y = 0.1 to 0.4
  e.slices = 1;
  CHECK(run.check(e).passed);
  e.slices = 2;
  CHECK_FALSE(run.check(e).passed);
  e.range = {0, 0.45};
  CHECK(run.check(e).difference == Approx(50).epsilon(1e-4));
}

TEST_CASE("expect: a profile names the object or column that is not there") {
  FinishedRun run;
  write_column_of_water(run.folder.path);
  ExpectSpec e = pressure_profile();
  e.profile = "water.presure";
  CHECK_THROWS_WITH(run.check(e), Contains("no column \"presure\""));
  e.profile = "oil.pressure";
  CHECK_THROWS_WITH(run.check(e), Contains("no HDF5 frame"));
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

namespace {

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
  Simulation sim = build(scene, Exec::cpu(1));
  try {
    check_expectations_early(scene, sim);
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::bad_input);
    return e.what();
  }
  return "";
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

TEST_CASE("expect: what a run will have is not complained of before it") {
  const TemporaryFolder folder;
  write_file(folder.path / "front.csv", "1 2\n3 4\n");
  CHECK(early_complaints(value("wcsph.water.mass") + "," + value("total.kinetic_energy") + "," +
                             curve("wcsph.water.front", "front.csv") + "," +
                             profile("water.pressure") + "," + profile("water.velocity.y") + "," +
                             profile("water.position.x"),
                         folder.path) == "");
}

TEST_CASE("expect: before the run everything it will not have is told at once, with its place") {
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
  CHECK_THAT(all, Contains("/expect/4/file: " + at + "/none.csv"));
}

TEST_CASE("expect: before the run a profile is held against objects, outputs and columns") {
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
