#include "sweep/sweep_docs.h"

#include <fmt/format.h>

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
// values of any kind.
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
}

void widen(ManualRows& rows) {
  for (ManualRow& row : rows) {
    if (row.key == "set") row.type = "text or list of texts", row.standard = "required";
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
