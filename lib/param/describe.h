#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/vec.h"

namespace rtsim {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_included = true;

  bool holds(double v) const { return (low_included ? v >= low : v > low) && v <= high; }
};
constexpr Range any() { return {}; }
constexpr Range above(double low) { return {low, any().high, false}; }
constexpr Range at_least(double low) { return {low, any().high, true}; }
constexpr Range between(double low, double high) { return {low, high, true}; }

// One value of a choice.
struct Option {
  const char* name;
  int value;
  const char* doc;
};

// What is said once about a parameter; every reader gets the same.
struct Field {
  const char* key;
  const char* unit = "";  // "kg/m^D" is resolved by the scene's dimension
  Range range{};
  const char* doc = "";
  bool required = false;
  const char* type = "";                 // name of a recursive element type
  std::span<const Option> options{};    // of a choice
  std::span<const char* const> kinds{};  // of object names: the kinds that fit
};

// The name of an object, or of several, in a role of a stage.
struct ObjectName {
  std::string name;
};
struct ObjectNames {
  std::vector<std::string> names;
};
// A file, looked for from the scene's folder; `path` is absolute after reading.
struct FileName {
  std::string path;
};

// Walks the parameters of one thing. A module says each parameter once, in a function
// `void describe(Describe&, Params&)`; the JSON reader, the schema, the manual, the resolved dump
// and the collector of roles are all Describes. A reader writes into the references; the others
// read the defaults from them.
class Describe {
 public:
  // An empty optional is "derived from the scene unless given"; its doc says how.
  using Value = std::variant<double*, int*, std::int64_t*, bool*, std::string*, std::optional<double>*,
                             std::optional<int>*, Vec3d*, std::vector<double>*, std::vector<Vec3d>*,
                             std::vector<std::string>*, ObjectName*, ObjectNames*, FileName*>;
  using Walk = std::function<void(Describe&)>;

  virtual ~Describe() = default;

  // d("stiffness", p.stiffness, "N/m", above(0), "Spring constant k.")
  template <class T>
  void operator()(const char* key, T& v, const char* unit, Range range, const char* doc) {
    value({.key = key, .unit = unit, .range = range, .doc = doc}, &v);
  }
  // Flags, texts, files, lists of names: no unit.
  template <class T>
  void operator()(const char* key, T& v, const char* doc) {
    value({.key = key, .doc = doc}, &v);
  }
  // As the two above, where leaving the key out is an error.
  template <class T>
  void required(const char* key, T& v, const char* unit, Range range, const char* doc) {
    value({.key = key, .unit = unit, .range = range, .doc = doc, .required = true}, &v);
  }
  template <class T>
  void required(const char* key, T& v, const char* doc) {
    value({.key = key, .doc = doc, .required = true}, &v);
  }
  // Vectors have `dim` entries in the scene.
  void vector(const char* key, Vec3d& v, const char* unit, const char* doc) {
    value({.key = key, .unit = unit, .doc = doc}, &v);
  }
  template <class E>
    requires std::is_enum_v<E>
  void choice(const char* key, E& v, std::span<const Option> options, const char* doc) {
    int chosen = int(v);
    choice_value({.key = key, .doc = doc, .options = options}, chosen);
    v = E(chosen);
  }
  // The object, or objects, that play a role; `kinds` are names from the scene's "kind" key.
  void role(const char* key, ObjectName& v, std::span<const char* const> kinds, const char* doc) {
    value({.key = key, .doc = doc, .required = true, .kinds = kinds}, &v);
  }
  void roles(const char* key, ObjectNames& v, std::span<const char* const> kinds, const char* doc) {
    value({.key = key, .doc = doc, .kinds = kinds}, &v);
  }

  // A struct inside: { "key": { ... } }.
  template <class T>
  void nested(const char* key, T& v, const char* doc) {
    group({.key = key, .doc = doc}, nullptr, [&v](Describe& d) { describe(d, v); });
  }
  template <class T>
  void nested(const char* key, std::optional<T>& v, const char* doc) {
    bool present = v.has_value();
    T inner = v.value_or(T{});
    group({.key = key, .doc = doc}, &present, [&inner](Describe& d) { describe(d, inner); });
    if (present) v = std::move(inner);
    else v.reset();
  }
  // A list of structs: { "key": [ { ... }, ... ] }. A struct that holds itself (a union of shapes)
  // gives its type a name, where the schema and the manual stop descending.
  template <class T>
  void list(const char* key, std::vector<T>& v, const char* doc, const char* type = "") {
    T example{};
    sequence({.key = key, .doc = doc, .type = type}, [&](std::size_t n) { v.assign(n, T{}); }, v.size(),
             [&](Describe& d, std::size_t i) { describe(d, i < v.size() ? v[i] : example); });
  }

  // A problem that no single range can say ("give frames or duration, not both"), at `key`, or at
  // the thing itself where key is empty. Only readers listen.
  virtual void fault(const char* key, const std::string& message) { (void)key, (void)message; }
  // Whether the text being read has this key; others than readers say no.
  virtual bool given(const char* key) const { return (void)key, false; }
  // 2 or 3 while a scene is read, else 0: "either".
  virtual int dim() const { return 0; }

 protected:
  virtual void value(const Field&, Value) = 0;
  virtual void choice_value(const Field&, int& chosen) = 0;
  // `present` is null for a struct that always exists.
  virtual void group(const Field&, bool* present, const Walk&) = 0;
  virtual void sequence(const Field&, const std::function<void(std::size_t)>& resize, std::size_t size,
                        const std::function<void(Describe&, std::size_t)>& walk) = 0;
};

}  // namespace rtsim
