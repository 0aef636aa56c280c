#include "param/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "param/field_text.h"

namespace rtsim {

namespace {

using Types = std::vector<std::pair<std::string, ManualRows>>;

bool has(const Types& types, const std::string& name) {
  return std::any_of(types.begin(), types.end(), [&](const auto& t) { return t.first == name; });
}

class ManualWriter final : public Describe {
 public:
  ManualWriter(std::string prefix, Types& types) : prefix_(std::move(prefix)), types_(types) {}

  ManualRows rows;

 protected:
  void value(const Field& field, Value v) override {
    std::string standard = default_text(v, 3);
    if (standard.empty()) standard = "none";
    add(field, type_text(field, v), standard, range_text(field.range, ""), field.doc);
  }

  bool choice_value(const Field& field, int& chosen) override {
    std::string standard, doc = field.doc;
    for (const Option& o : field.options) {
      if (!o.available) continue;
      if (o.value == chosen) standard = fmt::format("\"{}\"", o.name);
      doc += fmt::format(" \"{}\": {}", o.name, o.doc);
    }
    add(field, "choice", standard, options_text(field), doc);
    return true;
  }

  void group(const Field& field, bool* present, const Walk& walk) override {
    add(field, *field.type ? field.type : "object", present ? "none" : "", "", field.doc);
    descend(field, "", walk);
  }

  void sequence(const Field& field, const std::function<void(std::size_t)>&, std::size_t,
                const std::function<void(Describe&, std::size_t)>& walk) override {
    const std::string item = *field.type ? field.type : "object";
    const std::string list = fmt::format("list of {}s", item);
    add(field, field.one_or_many ? item + " or " + list : list, "none", "", field.doc);
    descend(field, "[]", [&](Describe& d) { walk(d, 0); });
  }

 private:
  void add(const Field& field, std::string type, std::string standard, std::string range,
           std::string doc) {
    if (field.required) standard = "required";
    rows.push_back({prefix_ + field.key, std::move(type), field.unit, std::move(standard),
                    std::move(range), std::move(doc)});
  }

  void descend(const Field& field, const char* suffix, const Walk& walk) {
    const std::string type = field.type;
    if (!type.empty()) {
      if (has(types_, type)) return;
      types_.push_back({type, {}});  // ends the recursion
      const std::size_t place = types_.size() - 1;
      ManualRows described = manual_rows(walk, types_);
      types_[place].second = std::move(described);
      return;
    }
    ManualWriter inner(prefix_ + field.key + suffix + ".", types_);
    walk(inner);
    std::move(inner.rows.begin(), inner.rows.end(), std::back_inserter(rows));
  }

  std::string prefix_;
  Types& types_;
};

std::string cell(std::string text) {
  for (auto at = text.find('|'); at != text.npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

// "number, 1000 kg/m^D, > 0"
std::string summary(const ManualRow& row) {
  std::string text = row.type;
  const auto append = [&](const std::string& part) {
    if (!part.empty()) text += ", " + part;
  };
  if (!row.unit.empty()) text += " [" + row.unit + "]";
  if (row.standard == "none")
    append("optional");
  else if (row.standard == "required" || row.standard.empty())
    append(row.standard);
  else
    append("default " + row.standard);
  append(row.range);
  return text;
}

}  // namespace

ManualRows manual_rows(const Describe::Walk& walk, Types& types) {
  ManualWriter writer("", types);
  walk(writer);
  return std::move(writer.rows);
}

std::string manual_markdown(const ManualRows& rows) {
  if (rows.empty()) return "No parameters.\n";
  std::string text =
      "| Key | Type | Unit | Default | Range | Meaning |\n|---|---|---|---|---|---|\n";
  for (const ManualRow& r : rows)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.key, cell(r.type), r.unit,
                        cell(r.standard), cell(r.range), cell(r.doc));
  return text;
}

std::string manual_text(const ManualRows& rows) {
  if (rows.empty()) return "  no parameters\n";
  std::size_t width = 0;
  for (const ManualRow& r : rows) width = std::max(width, r.key.size());
  std::string text;
  for (const ManualRow& r : rows)
    text += fmt::format("  {:<{}}  {}\n  {:<{}}  {}\n", r.key, width, summary(r), "", width, r.doc);
  return text;
}

}  // namespace rtsim
