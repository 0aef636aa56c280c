#include "param/value_from_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "param/field_text.h"
#include "param/json_text.h"

namespace rtsim {

using nlohmann::json;

namespace {

// " >= 0 N s/m", " in m" where there is a unit and no range.
std::string limits(const Field& field, int dim) {
  const std::string unit = unit_text(field.unit, dim);
  const std::string range = range_text(field.range, unit);
  if (!range.empty()) return " " + range;
  return unit.empty() ? "" : " in " + unit;
}

struct MustBe {
  const Field& field;
  int dim;

  std::string operator()(const double*) const { return "a number" + limits(field, dim); }
  std::string operator()(const std::optional<double>*) const { return (*this)((double*)nullptr); }
  std::string operator()(const int*) const { return "a whole number" + limits(field, dim); }
  std::string operator()(const std::int64_t*) const { return (*this)((int*)nullptr); }
  std::string operator()(const std::optional<int>*) const { return (*this)((int*)nullptr); }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::string*) const { return "a text"; }
  std::string operator()(const Vec3d*) const {
    return fmt::format("a list of {} numbers{}", dim, limits(field, dim));
  }
  std::string operator()(const std::vector<double>*) const {
    return "a list of numbers" + limits(field, dim);
  }
  std::string operator()(const std::vector<Vec3d>*) const {
    return fmt::format("a list of points of {} numbers{}", dim, limits(field, dim));
  }
  std::string operator()(const std::vector<std::string>*) const { return "a list of texts"; }
  std::string operator()(const ObjectName*) const {
    return field.kinds.empty() ? "the name of an object"
                               : fmt::format("the name of a {} object", kinds_text(field));
  }
  std::string operator()(const ObjectNames*) const {
    return field.kinds.empty() ? "a list of names of objects"
                               : fmt::format("a list of names of {} objects", kinds_text(field));
  }
  std::string operator()(const FileName*) const { return "the name of a file"; }
  std::string operator()(const FileSequence*) const {
    return "the name of files with # in place of their digits";
  }
  std::string operator()(const FramesOrTime*) const {
    return "a whole number of frames >= 1, or a time such as \"5 min\", \"30 s\" or \"2 h\"";
  }
};

// Reads into a copy, which becomes the target when all of it fits.
class Reading {
 public:
  Reading(const json& j, const Field& field, int dim) : j_(j), field_(field), dim_(dim) {}

  template <class T>
  std::string operator()(T* target) const {
    T v{};
    if (!read(j_, v)) return wrong(target);
    const std::string outside = out_of_range(v);
    if (!outside.empty()) return outside;
    *target = std::move(v);
    return "";
  }

 private:
  static bool read(const json& j, double& v) {
    if (!j.is_number()) return false;
    v = j.get<double>();
    return true;
  }
  // 1e6 and 3.0 are whole numbers too.
  static bool read(const json& j, std::int64_t& v) {
    constexpr double limit = 9.2e18;
    if (j.is_number_unsigned() && j.get<std::uint64_t>() > std::uint64_t(INT64_MAX)) return false;
    if (j.is_number_float()) {
      const double x = j.get<double>();
      if (x != std::floor(x) || std::abs(x) > limit) return false;
      v = std::int64_t(x);
      return true;
    }
    if (!j.is_number_integer()) return false;
    v = j.get<std::int64_t>();
    return true;
  }
  static bool read(const json& j, int& v) {
    std::int64_t wide = 0;
    if (!read(j, wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
    v = int(wide);
    return true;
  }
  static bool read(const json& j, bool& v) {
    if (!j.is_boolean()) return false;
    v = j.get<bool>();
    return true;
  }
  static bool read(const json& j, std::string& v) {
    if (!j.is_string()) return false;
    v = j.get<std::string>();
    return true;
  }
  bool read(const json& j, Vec3d& v) const {
    if (!j.is_array() || int(j.size()) != dim_) return false;
    for (int i = 0; i < dim_; ++i)
      if (!read(j[std::size_t(i)], v[i])) return false;
    return true;
  }
  template <class T>
  bool read(const json& j, std::vector<T>& v) const {
    if (!j.is_array()) return false;
    for (const json& entry : j)
      if (!read(entry, v.emplace_back())) return false;
    return true;
  }
  template <class T>
  bool read(const json& j, std::optional<T>& v) const {
    return read(j, v.emplace());
  }
  static bool read(const json& j, ObjectName& v) { return read(j, v.name); }
  bool read(const json& j, ObjectNames& v) const { return read(j, v.names); }
  static bool read(const json& j, FileName& v) { return read(j, v.path) && !v.path.empty(); }
  static bool read(const json& j, FileSequence& v) {
    return read(j, v.pattern) && !v.pattern.empty();
  }
  static bool read(const json& j, FramesOrTime& v) {
    if (j.is_string()) return parse_interval(j.get<std::string>(), v);
    return read(j, v.frames.emplace()) && *v.frames >= 1;
  }

  template <class T>
  std::string wrong(T* target) const {
    std::string text =
        fmt::format("must be {}, got {}", must_be(field_, target, dim_), short_text(j_));
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>>)
      if (j_.is_number() && std::abs(j_.get<double>()) > INT32_MAX)
        text += fmt::format("; the largest is {}", INT32_MAX);
    return text;
  }

  std::string out_of_range(double v) const {
    if (std::isfinite(v) && field_.range.holds(v)) return "";
    return fmt::format("must be {}, got {}", range_text(field_.range, unit_text(field_.unit, dim_)),
                       short_text(j_));
  }
  std::string out_of_range(std::int64_t v) const { return out_of_range(double(v)); }
  std::string out_of_range(int v) const { return out_of_range(double(v)); }
  std::string out_of_range(const Vec3d& v) const {
    for (int i = 0; i < dim_; ++i)
      if (const std::string text = out_of_range(v[i]); !text.empty()) return "each " + text;
    return "";
  }
  template <class T>
  std::string out_of_range(const std::optional<T>& v) const {
    return out_of_range(*v);
  }
  std::string out_of_range(const std::vector<double>& v) const {
    for (const double x : v)
      if (const std::string text = out_of_range(x); !text.empty()) return "each " + text;
    return "";
  }
  template <class T>
  std::string out_of_range(const T&) const {
    return "";
  }

  const json& j_;
  const Field& field_;
  int dim_;
};

}  // namespace

std::string must_be(const Field& field, const Describe::Value& v, int dim) {
  return std::visit(MustBe{field, dim}, v);
}

bool holds_null(const Describe::Value& v) {
  return std::holds_alternative<std::optional<double>*>(v) ||
         std::holds_alternative<std::optional<int>*>(v);
}

std::string read_value(const json& j, const Field& field, const Describe::Value& v, int dim) {
  return std::visit([&](auto* target) { return Reading(j, field, dim)(target); }, v);
}

}  // namespace rtsim
