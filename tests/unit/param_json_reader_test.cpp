#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fake_stage.h"
#include "param/json_reader.h"

using namespace rtsim;

namespace {

struct Reading {
  fake::Params params;
  ReadLog log;

  explicit Reading(const std::string& text, int dim = 3) {
    log.dim = dim;
    log.folder = "/scenes/sub";
    nlohmann::json object = nlohmann::json::parse(text);
    object.emplace("fluid", "water");
    read_json(object, "/stages/0", log, [&](Describe& d) { describe(d, params); });
  }

  std::string problems() const {
    std::string text;
    for (const Problem& p : log.problems)
      text += (text.empty() ? "" : "\n") + p.pointer + ": " + p.message;
    return text;
  }
};

}  // namespace

TEST_CASE("json_reader: values go where they belong, the others keep their defaults") {
  const Reading r(R"({ "stiffness": 5, "max_speed": 2.5, "substeps": 1e1, "quiet": true,
                       "mode": "slow", "weights": [3], "nozzle": { "width": 0.5 } })");
  CHECK(r.problems() == "");
  CHECK(r.params.stiffness == 5);
  CHECK(r.params.damping == 0);
  CHECK(r.params.max_speed == 2.5);
  CHECK(r.params.substeps == 10);
  CHECK(r.params.quiet);
  CHECK(r.params.mode == fake::Mode::slow);
  CHECK(r.params.weights == std::vector<double>{3});
  REQUIRE(r.params.nozzle);
  CHECK(r.params.nozzle->width == 0.5);
  CHECK(r.params.nozzle->direction == Vec3d{{0, -1, 0}});
}

TEST_CASE("json_reader: a null optional is an absent one, a null elsewhere is a wrong type") {
  CHECK(Reading(R"({ "max_speed": null })").problems() == "");
  CHECK(Reading(R"({ "max_speed": null })").params.max_speed == std::nullopt);
  CHECK(Reading(R"({ "damping": null })").problems() ==
        "/stages/0/damping: must be a number >= 0 N s/m, got null");
}

TEST_CASE("json_reader: every mistake is told with what would be right") {
  const std::pair<const char*, const char*> cases[] = {
      {R"({ "stifness": 1 })", R"(stifness: unknown key; did you mean "stiffness"?)"},
      {R"({ "colour": 1 })",
       "colour: unknown key; the keys here are fluid, boundary, stiffness, damping, max_speed, "
       "substeps, quiet, mode, weights, table, nozzle"},
      {R"({ "damping": -1 })", "damping: must be >= 0 N s/m, got -1"},
      {R"({ "damping": "soft" })", R"(damping: must be a number >= 0 N s/m, got "soft")"},
      {R"({ "stiffness": 0 })", "stiffness: must be > 0 N/m^3, got 0"},
      {R"({ "max_speed": 0 })", "max_speed: must be > 0 m/s, got 0"},
      {R"({ "substeps": 101 })", "substeps: must be between 1 and 100, got 101"},
      {R"({ "substeps": 2.5 })", "substeps: must be a whole number between 1 and 100, got 2.5"},
      {R"({ "substeps": 3000000000 })",
       "substeps: must be a whole number between 1 and 100, got 3000000000; the largest is "
       "2147483647"},
      {R"({ "substeps": 1e300 })",
       "substeps: must be a whole number between 1 and 100, got 1e+300; the largest is 2147483647"},
      {R"({ "quiet": 1 })", "quiet: must be true or false, got 1"},
      {R"({ "mode": "fasst" })", R"(mode: must be "slow" or "fast", got "fasst")"},
      {R"({ "mode": "warp" })",
       R"(mode: "warp" is not available in this version; use "slow" or "fast")"},
      {R"({ "weights": 1 })", "weights: must be a list of numbers >= 0 kg, got 1"},
      {R"({ "weights": [1, -2] })", "weights: each must be >= 0 kg, got [1,-2]"},
      {R"({ "boundary": "tank" })",
       R"(boundary: must be a list of names of boundary or bodies objects, got "tank")"},
      {R"({ "fluid": 3 })", "fluid: must be the name of a particles object, got 3"},
      {R"({ "table": "" })", R"(table: must be the name of a file, got "")"},
      {R"({ "nozzle": 1 })", "nozzle: must be an object, got 1"},
      {R"({ "nozzle": {} })", "nozzle/width: missing; must be a number > 0 m"},
      {R"({ "nozzle": { "width": 1, "direction": [1, 2] } })",
       "nozzle/direction: must be a list of 3 numbers, got [1,2]"},
      {R"({ "quiet": ["a long list", "that would fill the line", "if it were not cut", "here"] })",
       R"(quiet: must be true or false, got ["a long list","that would fill the line","if it were not...)"},
  };
  for (const auto& [text, message] : cases)
    CHECK(Reading(text).problems() == std::string("/stages/0/") + message);
}

TEST_CASE("json_reader: dimension decides the length of vectors and the units") {
  const Reading r(R"({ "stiffness": -1, "nozzle": { "width": 1, "direction": [1, 2, 3] } })", 2);
  CHECK(r.problems() ==
        "/stages/0/stiffness: must be > 0 N/m^2, got -1\n"
        "/stages/0/nozzle/direction: must be a list of 2 numbers, got [1,2,3]");
  const Reading flat(R"({ "nozzle": { "width": 1, "direction": [3, 4] } })", 2);
  CHECK(flat.params.nozzle->direction == Vec3d{{3, 4, 0}});
}

TEST_CASE("json_reader: names of objects and files are noted with their places") {
  const Reading r(R"({ "boundary": ["tank", "weir"], "table": "../pour.csv" })");
  REQUIRE(r.log.uses.size() == 3);
  CHECK(r.log.uses[0].object == "water");
  CHECK(r.log.uses[0].kinds == std::vector<std::string>{"particles"});
  CHECK(r.log.uses[2].pointer == "/stages/0/boundary/1");
  CHECK(r.log.uses[2].key == "boundary");
  CHECK(r.log.uses[2].object == "weir");
  CHECK(r.params.table.path == "/scenes/pour.csv");
  CHECK(r.log.files == std::vector<std::string>{"/scenes/pour.csv"});
}

TEST_CASE("json_reader: a folder that JSON cannot name is told where it is first needed") {
  ReadLog log;
  log.folder = "/scenes/\xFF";
  FileName file;
  read_json({{"table", "a.csv"}}, "", log, [&](Describe& d) { d("table", file, "A table."); });
  REQUIRE(log.problems.size() == 1);
  CHECK(log.problems[0].message == "the scene's folder has a name that is not UTF-8; rename it");
}
