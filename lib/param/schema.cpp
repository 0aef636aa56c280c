#include "param/schema.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "param/value_to_json.h"

namespace rtsim {

using nlohmann::ordered_json;

namespace {

// The JSON type of a value, without its default.
struct TypeSchema {
  ordered_json operator()(const double*) const { return {{"type", "number"}}; }
  ordered_json operator()(const int*) const { return {{"type", "integer"}}; }
  ordered_json operator()(const std::int64_t*) const { return {{"type", "integer"}}; }
  ordered_json operator()(const bool*) const { return {{"type", "boolean"}}; }
  ordered_json operator()(const std::string*) const { return {{"type", "string"}}; }
  ordered_json operator()(const std::optional<double>*) const { return or_null("number"); }
  ordered_json operator()(const std::optional<int>*) const { return or_null("integer"); }
  ordered_json operator()(const Vec3d*) const {
    ordered_json list = list_of({{"type", "number"}});
    list["minItems"] = 2, list["maxItems"] = 3;
    return list;
  }
  ordered_json operator()(const std::vector<double>*) const {
    return list_of({{"type", "number"}});
  }
  ordered_json operator()(const std::vector<Vec3d>*) const {
    return list_of((*this)(static_cast<const Vec3d*>(nullptr)));
  }
  ordered_json operator()(const std::vector<std::string>*) const {
    return list_of({{"type", "string"}});
  }
  ordered_json operator()(const ObjectName*) const { return {{"type", "string"}}; }
  ordered_json operator()(const ObjectNames*) const { return list_of({{"type", "string"}}); }
  ordered_json operator()(const FileName*) const { return {{"type", "string"}, {"minLength", 1}}; }
  ordered_json operator()(const FileSequence*) const {
    return {{"type", "string"}, {"pattern", "#"}};
  }
  ordered_json operator()(const FramesOrTime*) const {
    const ordered_json frames = {{"type", "integer"}, {"minimum", 1}};
    const ordered_json time = {{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *(s|min|h)$"}};
    return {{"oneOf", ordered_json::array({frames, time})}};
  }

  static ordered_json or_null(const char* type) {
    return {{"type", ordered_json::array({type, "null"})}};
  }
  static ordered_json list_of(ordered_json items) {
    ordered_json list = {{"type", "array"}};
    list["items"] = std::move(items);
    return list;
  }
};

void add_limits(ordered_json& schema, const Range& r) {
  if (std::isfinite(r.low)) schema[r.low_included ? "minimum" : "exclusiveMinimum"] = r.low;
  if (std::isfinite(r.high)) schema["maximum"] = r.high;
}

class SchemaWriter final : public Describe {
 public:
  explicit SchemaWriter(ordered_json& definitions) : definitions_(definitions) {}

  ordered_json schema() && {
    ordered_json s = {{"type", "object"}};
    s["properties"] = std::move(properties_);
    if (!required_.empty()) s["required"] = std::move(required_);
    s["additionalProperties"] = false;
    return s;
  }

 protected:
  void value(const Field& field, Value v) override {
    ordered_json s = std::visit([](const auto* p) { return TypeSchema{}(p); }, v);
    // Ranges of lists hold for each entry.
    add_limits(s.contains("items") ? s["items"] : s, field.range);
    const ordered_json default_value = value_json(v, 3);
    if (!field.required && !default_value.is_null()) s["default"] = default_value;
    if (*field.unit) s["unit"] = field.unit;
    if (!field.kinds.empty()) s["kinds"] = field.kinds;
    add(field, std::move(s));
  }

  bool choice_value(const Field& field, int& chosen) override {
    ordered_json s = {{"type", "string"}};
    for (const Option& o : field.options)
      if (o.available) s["enum"].push_back(o.name);
    for (const Option& o : field.options)
      if (o.value == chosen && !field.required) s["default"] = o.name;
    add(field, std::move(s));
    return true;
  }

  void group(const Field& field, bool*, const Walk& walk) override {
    add(field, typed(field.type, walk));
  }

  void sequence(const Field& field, const std::function<void(std::size_t)>&, std::size_t,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    ordered_json one = typed(field.type, [&](Describe& d) { walk(d, 0); });
    ordered_json many = TypeSchema::list_of(one);
    if (field.required) many["minItems"] = 1;
    if (!field.one_or_many) return add(field, std::move(many));
    add(field, {{"anyOf", ordered_json::array({std::move(one), std::move(many)})}});
  }

 private:
  void add(const Field& field, ordered_json s) {
    s["description"] = field.doc;
    properties_[field.key] = std::move(s);
    if (field.required) required_.push_back(field.key);
  }

  // The schema of a struct, or a reference to it where its type has a name.
  ordered_json typed(const std::string& type, const Walk& walk) {
    if (type.empty()) return schema_of(walk, definitions_);
    if (!definitions_.contains(type)) {
      definitions_[type] = ordered_json::object();  // ends the recursion
      ordered_json s = schema_of(walk, definitions_);
      definitions_[type] = std::move(s);
    }
    return {{"$ref", "#/$defs/" + type}};
  }

  ordered_json& definitions_;
  ordered_json properties_ = ordered_json::object();
  ordered_json required_ = ordered_json::array();
};

}  // namespace

ordered_json schema_of(const Describe::Walk& walk, ordered_json& definitions) {
  SchemaWriter writer(definitions);
  walk(writer);
  return std::move(writer).schema();
}

}  // namespace rtsim
