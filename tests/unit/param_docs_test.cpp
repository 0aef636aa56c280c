#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fake_stage.h"
#include "param/manual.h"
#include "param/schema.h"

using namespace rtsim;

namespace {

void walk(Describe& d) {
  fake::Params p;
  describe(d, p);
}

struct Tree {
  double height = 1;
  std::vector<Tree> branches;
};
void describe(Describe& d, Tree& t) {
  d("height", t.height, "m", between(0, 10), "How tall.");
  d.list("branches", t.branches, "Smaller ones.", "tree");
}
struct Forest {
  std::vector<Tree> trees;
};
void describe(Describe& d, Forest& f) { d.one_or_many("trees", f.trees, "All.", "tree"); }

void walk_forest(Describe& d) {
  Forest f;
  describe(d, f);
}

}  // namespace

TEST_CASE("schema: every sort of parameter has its type, limits, default, unit and words") {
  nlohmann::ordered_json definitions;
  const auto s = schema_of(walk, definitions);
  const auto& p = s["properties"];
  CHECK(p["fluid"].dump() ==
        R"({"type":"string","kinds":["particles"],"description":"What is poured."})");
  CHECK(p["boundary"].dump() ==
        R"({"type":"array","items":{"type":"string"},"default":[],"kinds":["boundary","bodies"],)"
        R"("description":"What it hits."})");
  CHECK(p["stiffness"].dump() ==
        R"({"type":"number","exclusiveMinimum":0.0,"default":1000.0,"unit":"N/m^D",)"
        R"("description":"Spring constant k."})");
  CHECK(p["max_speed"].dump() == R"({"type":["number","null"],"exclusiveMinimum":0.0,"unit":"m/s",)"
                                 R"("description":"Expected; from gravity unless given."})");
  CHECK(p["substeps"].dump() == R"({"type":"integer","minimum":1.0,"maximum":100.0,"default":1,)"
                                R"("description":"Parts of a step."})");
  CHECK(p["mode"].dump() ==
        R"({"type":"string","enum":["slow","fast"],"default":"fast","description":"How:"})");
  CHECK(p["weights"].dump() ==
        R"({"type":"array","items":{"type":"number","minimum":0.0},"default":[1.0,2.0],)"
        R"("unit":"kg","description":"Of the parts."})");
  CHECK(p["nozzle"].dump() ==
        R"({"type":"object","properties":{"width":{"type":"number","exclusiveMinimum":0.0,)"
        R"("unit":"m","description":"How wide it is."},"direction":{"type":"array",)"
        R"("items":{"type":"number"},"minItems":2,"maxItems":3,"default":[0.0,-1.0,0.0],)"
        R"("description":"Where it points."}},"required":["width"],)"
        R"("additionalProperties":false,"description":"Where it pours from."})");
  CHECK(s["required"].dump() == R"(["fluid"])");
  CHECK(s["additionalProperties"] == false);
  CHECK(definitions.empty());
}

TEST_CASE("schema: a type that holds itself is said once and referred to") {
  nlohmann::ordered_json definitions;
  const auto s = schema_of(walk_forest, definitions);
  CHECK(s["properties"]["trees"]["anyOf"].dump() ==
        R"([{"$ref":"#/$defs/tree"},{"type":"array","items":{"$ref":"#/$defs/tree"}}])");
  CHECK(definitions["tree"]["properties"]["branches"].dump() ==
        R"({"type":"array","items":{"$ref":"#/$defs/tree"},"description":"Smaller ones."})");
}

TEST_CASE("manual: a table for documents") {
  std::vector<std::pair<std::string, ManualRows>> types;
  CHECK(manual_markdown(manual_rows(walk, types)) ==
        R"(| Key | Type | Unit | Default | Range | Meaning |
|---|---|---|---|---|---|
| `fluid` | name of particles |  | required |  | What is poured. |
| `boundary` | list of names of boundary or bodies |  | [] |  | What it hits. |
| `stiffness` | number | N/m^D | 1000 | > 0 | Spring constant k. |
| `damping` | number | N s/m | 0 | >= 0 | Friction c. |
| `max_speed` | number | m/s | none | > 0 | Expected; from gravity unless given. |
| `substeps` | whole number |  | 1 | between 1 and 100 | Parts of a step. |
| `quiet` | true or false |  | false |  | Says nothing. |
| `mode` | choice |  | "fast" | "slow" or "fast" | How: "slow": with care. "fast": with speed. |
| `weights` | list of numbers | kg | [1, 2] | >= 0 | Of the parts. |
| `table` | file |  | "" |  | Tabulated a\|b. |
| `nozzle` | object |  | none |  | Where it pours from. |
| `nozzle.width` | number | m | required | > 0 | How wide it is. |
| `nozzle.direction` | vector |  | [0, -1, 0] |  | Where it points. |
)");
}

TEST_CASE("manual: a type that holds itself is described once") {
  std::vector<std::pair<std::string, ManualRows>> types;
  const ManualRows rows = manual_rows(walk_forest, types);
  CHECK(manual_text(rows) == "  trees  tree or list of trees, optional\n         All.\n");
  REQUIRE(types.size() == 1);
  CHECK(types[0].first == "tree");
  CHECK(manual_text(types[0].second) ==
        "  height    number [m], default 1, between 0 and 10\n"
        "            How tall.\n"
        "  branches  list of trees, optional\n"
        "            Smaller ones.\n");
}
