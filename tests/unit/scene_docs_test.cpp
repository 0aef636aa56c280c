#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "fake_stage.h"

using namespace rtsim;
using namespace rtsim::fake;
using nlohmann::json;

namespace {

json schema() { return json::parse(scene_schema(catalog())); }

// Every {"$ref": "#/$defs/x"} in the schema.
void references(const json& j, std::vector<std::string>& found) {
  if (j.is_object() && j.contains("$ref")) found.push_back(j["$ref"]);
  if (j.is_structured())
    for (const json& inner : j) references(inner, found);
}

std::string section(const std::string& text, const std::string& heading) {
  const auto from = text.find("\n## " + heading + "\n");
  REQUIRE(from != text.npos);
  return text.substr(from, text.find("\n## ", from + 1) - from);
}

}  // namespace

TEST_CASE("scene_docs: the schema knows every top-level key and refuses others") {
  const json s = schema();
  std::vector<std::string> keys;
  for (const auto& p : s["properties"].items()) keys.push_back(p.key());
  CHECK(keys == std::vector<std::string>{"$schema", "checkpoint_every", "checkpoint_keep", "dim",
                                         "expect", "gravity", "objects", "output", "rtsim", "seed",
                                         "series_every", "stages", "time"});
  CHECK(s["additionalProperties"] == false);
  CHECK(s["required"] == json({"rtsim", "stages", "time"}));
  CHECK(s["properties"]["rtsim"]["const"] == 1);
}

TEST_CASE("scene_docs: every reference of the schema leads somewhere") {
  const json s = schema();
  std::vector<std::string> found;
  references(s, found);
  CHECK(found.size() > 8);
  for (const std::string& reference : found)
    CHECK(s.contains(json::json_pointer(reference.substr(1))));
}

TEST_CASE("scene_docs: the form of a thing is told by the key that decides") {
  const json s = schema();
  const json& objects = s["$defs"]["object"]["oneOf"];
  REQUIRE(objects.size() == 6);
  CHECK(objects[0]["properties"]["kind"]["const"] == "particles");
  CHECK(objects[0]["properties"].contains("spacing"));
  CHECK_FALSE(objects[0]["properties"].contains("shape"));
  CHECK(objects[1]["properties"]["kind"]["const"] == "mesh");
  CHECK(objects[2]["required"] == json({"name", "kind", "spacing", "min", "max"}));
  CHECK(objects[4]["required"] == json({"name", "kind", "bodies"}));
  CHECK(objects[5]["required"] == json({"name", "kind", "shape"}));
  const json& outputs = s["$defs"]["output"]["oneOf"];
  CHECK(outputs[0]["required"] == json({"object"}));  // hdf5 is the default
  CHECK(outputs[1]["required"] == json({"object", "format"}));
  const json& stages = s["$defs"]["stage"]["oneOf"];
  REQUIRE(stages.size() == 1);
  CHECK(stages[0]["properties"]["type"]["const"] == "pour");
  CHECK(stages[0]["properties"]["damping"]["minimum"] == 0);
}

TEST_CASE("scene_docs: the manual has a section for everything a scene may hold") {
  const std::string text = manual(catalog());
  for (const char* heading :
       {"scene", "object: particles", "object: mesh", "object: grid", "object: height_field",
        "object: boundary", "output: hdf5", "output: vdb", "output: surface", "expectation: value",
        "expectation: curve", "expectation: profile", "shape", "stage: pour"})
    CHECK(section(text, heading).find("| `") != std::string::npos);
  CHECK(section(text, "stage: pour").starts_with(R"(
## stage: pour

Pours a fluid.

Source: Bernoulli, Hydrodynamica, 1738

Limits:

- No splashes.
- No spray.

More: [docs/pouring.md](pouring.md)

| Key | Type | Unit | Default | Range | Meaning |
|---|---|---|---|---|---|
| `type` | text |  | required |  | One of `rtsim list`; it decides the other keys. |
| `name` | text |  | "pour" |  | Its name in the series; unless given, its type. |
| `fluid` | name of particles |  | required |  | What is poured. |
)"));
}

TEST_CASE("scene_docs: a stage as text") {
  CHECK(describe_stage(catalog()[0]) == R"(pour: Pours a fluid.

Source: Bernoulli, Hydrodynamica, 1738

Limits:

- No splashes.
- No spray.

More: docs/pouring.md

  fluid             name of particles, required
                    What is poured.
  boundary          list of names of boundary or bodies, default []
                    What it hits.
  stiffness         number [N/m^D], default 1000, > 0
                    Spring constant k.
  damping           number [N s/m], default 0, >= 0
                    Friction c.
  max_speed         number [m/s], optional, > 0
                    Expected; from gravity unless given.
  substeps          whole number, default 1, between 1 and 100
                    Parts of a step.
  quiet             true or false, default false
                    Says nothing.
  mode              choice, default "fast", "slow" or "fast"
                    How: "slow": with care. "fast": with speed.
  weights           list of numbers [kg], default [1, 2], >= 0
                    Of the parts.
  table             file, default ""
                    Tabulated a|b.
  nozzle            object, optional
                    Where it pours from.
  nozzle.width      number [m], required, > 0
                    How wide it is.
  nozzle.direction  vector, default [0, -1, 0]
                    Where it points.
)");
}

TEST_CASE("scene_docs: a stage as JSON is its heading and its schema") {
  const json j = json::parse(describe_stage_json(catalog()[0]));
  CHECK(j["type"] == "pour");
  CHECK(j["source"] == "Bernoulli, Hydrodynamica, 1738");
  CHECK(j["parameters"]["properties"]["damping"]["unit"] == "N s/m");
  CHECK(j["parameters"]["required"] == json({"fluid"}));
}
