#include "sweep/sweep_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "param/manual.h"
#include "param/schema.h"
#include "sweep/sweep_spec.h"

namespace rtsim {

using nlohmann::ordered_json;

namespace {

void walk_sweep(Describe& d) {
  SweepSpec spec;
  describe(d, spec);
}

// What a sweep file may hold where the struct has a list of texts: one pointer or several, and
// values of any kind. An axis needs a `set`; an entry of the file has one, or a group in its place.
void widen(ordered_json& schema) {
  if (!schema.contains("properties")) return;
  ordered_json& keys = schema["properties"];
  const ordered_json pointer = {{"type", "string"}, {"pattern", "^/"}};
  if (keys.contains("set"))
    keys["set"] = {{"anyOf", {pointer, {{"type", "array"}, {"items", pointer}, {"minItems", 1}}}},
                   {"description", keys["set"]["description"]}};
  if (keys.contains("values"))
    keys["values"] = {
        {"type", "array"}, {"minItems", 1}, {"description", keys["values"]["description"]}};
  const bool set = keys.contains("set"), group = keys.contains("zip");
  if (set && !group) schema["required"].push_back("set");
  if (set && group)
    for (const char* one : {"set", "zip", "random", "latin_hypercube"})
      schema["oneOf"].push_back({{"required", ordered_json::array({one})}});
}

void widen(ManualRows& rows) {
  const bool or_group = std::ranges::count(rows, "zip", &ManualRow::key) > 0;
  for (ManualRow& row : rows) {
    if (row.key == "set")
      row.type = "text or list of texts",
      row.standard = or_group ? "required, unless a group" : "required";
    if (row.key == "values") row.type = "list";
    if (row.key == "zip") row.type = "list of axes";
    if (row.key == "axes") row.type = "list of drawn axes";
  }
}

}  // namespace

std::string sweep_schema() {
  ordered_json definitions = ordered_json::object();
  ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", "rtsim sweep"}};
  schema.update(schema_of(walk_sweep, definitions));
  schema["properties"]["$schema"] = {{"type", "string"}};
  for (auto& [name, s] : definitions.items()) widen(s);
  schema["$defs"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

std::string sweep_manual() {
  std::vector<std::pair<std::string, ManualRows>> types;
  ManualRows rows = manual_rows(walk_sweep, types);
  for (ManualRow& row : rows)
    if (row.key == "axes") row.type = "list of axes and groups";
  std::string text =
      "\n## sweep file\n\nFor `rtsim sweep`; docs/sweeping.md says what follows from it. An entry "
      "of "
      "`axes` is one axis (`set` with `values`, or with `from`, `to` and `step` or `count`), or "
      "one "
      "of `zip`, `random` and `latin_hypercube`.\n\n" +
      manual_markdown(rows);
  for (auto& [name, of_type] : types) {
    widen(of_type);
    text += fmt::format("\n## sweep file: {}\n\n", name) + manual_markdown(of_type);
  }
  return text;
}

}  // namespace rtsim
