#include "param/field_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "param/value_to_json.h"

namespace rtsim {

std::string unit_text(const char* unit, int dim) {
  std::string text = unit;
  if (dim == 0) return text;
  for (auto at = text.find("^D"); at != text.npos; at = text.find("^D", at))
    text[at + 1] = char('0' + dim);
  return text;
}

std::string range_text(const Range& r, const std::string& unit) {
  const std::string u = unit.empty() ? "" : " " + unit;
  const bool low = std::isfinite(r.low), high = std::isfinite(r.high);
  if (low && high && r.low_included) return fmt::format("between {} and {}{}", r.low, r.high, u);
  if (low && high) return fmt::format("> {} and <= {}{}", r.low, r.high, u);
  if (low) return fmt::format("{} {}{}", r.low_included ? ">=" : ">", r.low, u);
  if (high) return fmt::format("<= {}{}", r.high, u);
  return "";
}

std::string kinds_text(const Field& field) {
  std::string text;
  for (std::size_t k = 0; k < field.kinds.size(); ++k)
    text += (k == 0                       ? ""
             : k + 1 < field.kinds.size() ? ", "
                                          : " or ") +
            std::string(field.kinds[k]);
  return text;
}

std::string options_text(const Field& field) {
  std::string text;
  std::size_t left = 0;
  for (const Option& o : field.options) left += o.available;
  for (const Option& o : field.options) {
    if (!o.available) continue;
    --left;
    text += (text.empty() ? "" : left ? ", " : " or ") + fmt::format("\"{}\"", o.name);
  }
  return text;
}

namespace {

struct TypeText {
  const Field& field;

  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const std::optional<double>*) const { return "number"; }
  std::string operator()(const int*) const { return "whole number"; }
  std::string operator()(const std::int64_t*) const { return "whole number"; }
  std::string operator()(const std::optional<int>*) const { return "whole number"; }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::string*) const { return "text"; }
  std::string operator()(const Vec3d*) const { return "vector"; }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<Vec3d>*) const { return "list of vectors"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of texts"; }
  std::string operator()(const ObjectName*) const { return "name of " + objects("an object"); }
  std::string operator()(const ObjectNames*) const {
    return "list of names of " + objects("objects");
  }
  std::string operator()(const FileName*) const { return "file"; }
  std::string operator()(const FileSequence*) const { return "files"; }
  std::string operator()(const FramesOrTime*) const { return "frames or time"; }

  std::string objects(const char* any) const {
    return field.kinds.empty() ? any : kinds_text(field);
  }
};

constexpr struct {
  const char* name;
  double seconds;
} time_units[] = {{"h", 3600}, {"min", 60}, {"s", 1}};
constexpr double longest_interval = 1e9;  // [s]; so that whole units convert exactly

// As dump(), with 1000 where that has 1000.0.
std::string plain(const nlohmann::ordered_json& j) {
  if (j.is_number_float()) return fmt::format("{}", j.get<double>());
  if (!j.is_array()) return j.dump();
  std::string text;
  for (const auto& entry : j) text += (text.empty() ? "" : ", ") + plain(entry);
  return "[" + text + "]";
}

}  // namespace

std::string type_text(const Field& field, const Describe::Value& v) {
  return std::visit(TypeText{field}, v);
}

std::string default_text(const Describe::Value& v, int dim) {
  const nlohmann::ordered_json j = value_json(v, dim);
  return j.is_null() ? "" : plain(j);
}

std::string interval_text(const FramesOrTime& v) {
  if (v.frames) return std::to_string(*v.frames);
  if (!v.seconds) return "";
  for (const auto& [name, seconds] : time_units)
    if (std::fmod(*v.seconds, seconds) == 0)
      return fmt::format("{} {}", *v.seconds / seconds, name);
  return fmt::format("{} s", *v.seconds);
}

bool parse_interval(const std::string& text, FramesOrTime& out) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, text.data() + text.size());
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error != std::errc()) return false;
  for (const auto& [name, seconds] : time_units) {
    const double interval = number * seconds;
    if (unit != name || !(interval > 0) || interval > longest_interval) continue;
    out = {{}, interval};
    return true;
  }
  return false;
}

}  // namespace rtsim
