#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fake_stage.h"
#include "param/manual.h"
#include "param/manual_forms.h"
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

namespace {

// Two keys that every form has, the second of which has its own default and words that a section of
// its own is worth.
struct Pen {
  double width = 1, wear = 0;
  bool own = false;
};
void describe(Describe& d, Pen& p) {
  d("width", p.width, "m", above(0), "How wide.");
  d("wear", p.wear, "", at_least(0),
    "How much of the pen is lost with each stroke, as a share of what it was when it was new: the "
    "ink that stays on the paper, the ink that dries in the nib, the nib's own metal where the "
    "paper is rough, and the lacquer of the shaft where the hand holds it. Caps that were lost "
    "are counted by the pens that have caps.");
  if (p.own) d("nibs", p.own, "Of its own.");
}

ManualForm pen(const char* title, double wear, bool own) {
  std::vector<std::pair<std::string, ManualRows>> types;
  return {title, "A pen.\n\n",
          manual_rows(
              [&](Describe& d) {
                Pen p{1, wear, own};
                describe(d, p);
              },
              types)};
}

std::string section(const std::string& text, const std::string& heading) {
  const auto from = text.find("\n## " + heading + "\n");
  REQUIRE(from != text.npos);
  return text.substr(from, text.find("\n## ", from + 1) - from);
}

}  // namespace

TEST_CASE("manual: what all forms share is said once") {
  const std::string text = manual_forms("pen", {pen("flat", 0, false), pen("round", 0.5, true)});
  const std::string every = section(text, "every pen");
  CHECK(every.find("| `width` | number | m | 1 | > 0 | How wide. |") != every.npos);
  CHECK(every.find("| `wear` | number |  | differs |") != every.npos);
  CHECK(section(text, "pen: flat") ==
        "\n## pen: flat\n\nA pen.\n\n- `width`, `wear`: see [every pen](#every-pen); default here: "
        "`wear` 0.\n");
  const std::string round = section(text, "pen: round");
  CHECK(round.find("default here: `wear` 0.5.") != round.npos);
  CHECK(round.find("| `nibs` |") != round.npos);
  CHECK(round.find("| `width` |") == round.npos);
}

TEST_CASE("manual: what some forms share is said once, with the names of them") {
  ManualForm other = pen("comb", 0, false);
  for (ManualRow& row : other.rows) row.doc += " Or so.";
  const std::string text =
      manual_forms("pen", {pen("flat", 0, false), other, pen("round", 0, true)});
  const std::string both = section(text, "shared by the pens flat and round");
  CHECK(both.find("| `wear` | number |  | 0 |") != both.npos);
  CHECK(section(text, "pen: flat")
            .find("`width`, `wear`: see [shared by the pens flat and round]"
                  "(#shared-by-the-pens-flat-and-round).") != text.npos);
  CHECK(section(text, "pen: comb").find("| `wear` |") != text.npos);
}

TEST_CASE("manual: a few words stay where they are") {
  const auto small = [](const char* title) {
    ManualForm form = pen(title, 0, false);
    form.rows.pop_back();
    return form;
  };
  ManualForm other = small("comb");
  other.rows[0].doc = "Another.";
  const std::string text = manual_forms("pen", {small("flat"), small("round"), other});
  CHECK(text.find("shared by") == text.npos);
  CHECK(section(text, "pen: round").find("| `width` |") != text.npos);
}
