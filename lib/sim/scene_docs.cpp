#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "param/manual.h"
#include "param/manual_forms.h"
#include "param/schema.h"
#include "sim/scene.h"
#include "sim/scene_describe.h"

namespace rtsim {

using nlohmann::ordered_json;

namespace {

using Catalog = std::vector<StageType>;

// One form of a thing whose keys depend on one of them.
struct Form {
  std::string title;  // and the value of that key
  const char* key;    // null where its presence decides
  Describe::Walk walk;
  bool standard = false;  // the form where the key is left out
};
using Forms = std::vector<Form>;

Forms object_forms() {
  Forms forms;
  for (const Kind kind :
       {Kind::particles, Kind::mesh, Kind::grid, Kind::height_field, Kind::bodies, Kind::boundary})
    forms.push_back({to_string(kind), "kind", [kind](Describe& d) {
                       ObjectSpec o;
                       o.of = ObjectSpec::of_kind(kind);
                       describe(d, o);
                     }});
  return forms;
}

Form stage_form(const StageType& type) {
  return {std::string(type.name), "type", [&type](Describe& d) {
            StageEntry entry;
            entry.spec.type = type.name;
            entry.spec.walk = type.walk;
            describe(d, entry);
          }};
}

Forms stage_forms(const Catalog& catalog) {
  Forms forms;
  for (const StageType& type : catalog) forms.push_back(stage_form(type));
  return forms;
}

Forms output_forms() {
  const auto walk = [](Format format) {
    return [format](Describe& d) {
      Output o;
      o.format = format;
      describe(d, o);
    };
  };
  return {{"hdf5", "format", walk(Format::hdf5), true},
          {"vdb", "format", walk(Format::vdb)},
          {"surface", "format", walk(Format::surface)}};
}

Forms expect_forms() {
  const auto walk = [](ExpectForm form) {
    return [form](Describe& d) {
      ExpectSpec e;
      describe(d, e, form);
    };
  };
  return {{"value", nullptr, walk(ExpectForm::value)},
          {"curve", nullptr, walk(ExpectForm::curve)},
          {"profile", nullptr, walk(ExpectForm::profile)},
          {"profile of a grid", nullptr, walk(ExpectForm::grid_profile)}};
}

// The scene with a list of stages whose forms are described on their own.
void walk_scene(Describe& d) {
  Scene scene;
  describe(d, scene, {});
}

// The key that decides has one value here, and must be given unless that is its default.
void fix_form(ordered_json& schema, const Form& form) {
  ordered_json& key = schema["properties"][form.key];
  key = {{"const", form.title}, {"description", key["description"]}};
  if (form.standard) return;
  ordered_json& required = schema["required"];
  if (std::find(required.begin(), required.end(), form.key) == required.end())
    required.push_back(form.key);
}

ordered_json schema_of_forms(const Forms& forms, ordered_json& definitions) {
  ordered_json any = ordered_json::array();
  for (const Form& form : forms) {
    ordered_json s = schema_of(form.walk, definitions);
    if (form.key) fix_form(s, form);
    s["title"] = form.title;
    any.push_back(std::move(s));
  }
  return {{"oneOf", std::move(any)}};
}

using Types = std::vector<std::pair<std::string, ManualRows>>;

ManualForm manual_form(const Form& form, Types& types) {
  ManualRows rows = manual_rows(form.walk, types);
  for (ManualRow& row : rows)
    if (form.key && row.key == form.key && !form.standard) row.standard = "required";
  return {form.title, "", std::move(rows)};
}

// `page` is how the text names the page of the stage's family.
std::string heading(const StageType& type, const std::string& page) {
  std::string text = fmt::format("{}\n", type.summary);
  if (!type.source.empty()) text += fmt::format("\nSource: {}\n", type.source);
  if (!type.limits.empty()) text += "\nLimits:\n\n";
  for (const std::string_view limit : type.limits) text += fmt::format("- {}\n", limit);
  if (!type.page.empty()) text += fmt::format("\nMore: {}\n", page);
  return text;
}

// "[docs/grids.md](grids.md)", as seen from the manual, which stands beside it.
std::string link_to(std::string_view page) {
  return fmt::format("[{}]({})", page, page.substr(page.rfind('/') + 1));
}

}  // namespace

std::string scene_schema(const Catalog& catalog) {
  ordered_json definitions;
  definitions["object"] = definitions["stage"] = definitions["output"] =
      definitions["expectation"] = ordered_json::object();
  const std::pair<const char*, Forms> named[] = {{"object", object_forms()},
                                                 {"stage", stage_forms(catalog)},
                                                 {"output", output_forms()},
                                                 {"expectation", expect_forms()}};
  for (const auto& [name, forms] : named) {
    ordered_json s = schema_of_forms(forms, definitions);
    definitions[name] = std::move(s);
  }
  ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", "rtsim scene"}};
  schema.update(schema_of(walk_scene, definitions));
  schema["properties"]["$schema"] = {{"type", "string"}};
  schema["properties"]["rtsim"]["const"] = 1;
  schema["required"].push_back("time");
  schema["$defs"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

std::string manual(const Catalog& catalog) {
  Types types = {{"object", {}}, {"stage", {}}, {"output", {}}, {"expectation", {}}};
  const std::size_t known = types.size();
  std::string text =
      "# Manual\n\nMade by `rtsim manual` from the program itself. Parameters that several stages, "
      "objects or expectations share are described once, ahead of them; `rtsim describe STAGE` has "
      "all of one stage together.\n\n## scene\n\n";
  text += "JSON; `//` starts a comment. Files are looked for from the scene's folder.\n\n";
  text += manual_markdown(manual_rows(walk_scene, types));
  const std::pair<const char*, Forms> named[] = {
      {"object", object_forms()}, {"output", output_forms()}, {"expectation", expect_forms()}};
  for (const auto& [name, forms] : named) {
    std::vector<ManualForm> sections;
    for (const Form& form : forms) sections.push_back(manual_form(form, types));
    text += manual_forms(name, sections);
  }
  std::vector<ManualForm> stages;
  for (const StageType& type : catalog) {
    stages.push_back(manual_form(stage_form(type), types));
    stages.back().intro = heading(type, link_to(type.page)) + "\n";
  }
  for (std::size_t t = known; t < types.size(); ++t)
    text += fmt::format("\n## {}\n\n", types[t].first) + manual_markdown(types[t].second);
  return text + manual_forms("stage", stages);
}

std::string describe_stage(const StageType& type) {
  Types types;
  std::string text = fmt::format("{}: {}\n", type.name, heading(type, std::string(type.page))) +
                     manual_text(manual_rows(type.walk, types));
  for (const auto& [name, rows] : types) text += fmt::format("\n{}:\n", name) + manual_text(rows);
  return text;
}

std::string describe_stage_json(const StageType& type) {
  ordered_json definitions;
  ordered_json parameters = schema_of(type.walk, definitions);
  if (!definitions.empty()) parameters["$defs"] = std::move(definitions);
  ordered_json j;
  j["type"] = type.name;
  j["summary"] = type.summary;
  j["source"] = type.source;
  j["limits"] = type.limits;
  j["page"] = type.page;
  j["parameters"] = std::move(parameters);
  return j.dump(2) + "\n";
}

}  // namespace rtsim
