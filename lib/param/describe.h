#pragma once
#include <cstdint>
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
  bool available = true;  // false: a known name that this version cannot do yet
};

enum class Need { optional, required };

// What is said once about a parameter; every reader gets the same.
struct Field {
  const char* key;
  const char* unit = "";  // "kg/m^D" is resolved by the scene's dimension
  Range range{};
  const char* doc = "";
  bool required = false;
  const char* type = "";                 // name of a type that the manual describes once
  std::span<const Option> options{};     // of a choice
  std::span<const char* const> kinds{};  // of object names: the kinds that fit; none: all
  bool one_or_many = false;              // a list that may be written as its only element
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
// Files that differ by a number (base/numbered_files.h), looked for likewise.
struct FileSequence {
  std::string pattern;
};
// How often: every so many frames, or every so much time ("5 min").
struct FramesOrTime {
  std::optional<int> frames;
  std::optional<double> seconds;
};

// Walks the parameters of one thing. A module says each parameter once, in a function
// `void describe(Describe&, Params&)`; the JSON reader, the schema, the manual, the resolved dump
// and the collector of roles are all Describes. A reader writes into the references; the others
// read the defaults from them.
class Describe {
 public:
  // An empty optional is "derived from the scene unless given"; its doc says how.
  using Value = std::variant<double*, int*, std::int64_t*, bool*, std::string*,
                             std::optional<double>*, std::optional<int>*, Vec3d*,
                             std::vector<double>*, std::vector<Vec3d>*, std::vector<std::string>*,
                             ObjectName*, ObjectNames*, FileName*, FileSequence*, FramesOrTime*>;
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
  // False where a reader found none of the options; the value is then as before.
  template <class E>
  requires std::is_enum_v<E>
  bool choice(const char* key, E& v, std::span<const Option> options, const char* doc,
              Need need = Need::optional) {
    int chosen = int(v);
    const bool known = choice_value(
        {.key = key, .doc = doc, .required = need == Need::required, .options = options}, chosen);
    v = E(chosen);
    return known;
  }
  // The object, or objects, that play a role; `kinds` are names from the scene's "kind" key.
  void role(const char* key, ObjectName& v, std::span<const char* const> kinds, const char* doc) {
    value({.key = key, .doc = doc, .required = true, .kinds = kinds}, &v);
  }
  void roles(const char* key, ObjectNames& v, std::span<const char* const> kinds, const char* doc) {
    value({.key = key, .doc = doc, .kinds = kinds}, &v);
  }

  // A struct inside: { "key": { ... } }. One that holds itself (a union of shapes) gives its type a
  // name, where the schema and the manual stop descending.
  template <class T>
  void nested(const char* key, T& v, const char* doc, const char* type = "") {
    group({.key = key, .doc = doc, .type = type}, nullptr, [&v](Describe& d) { describe(d, v); });
  }
  template <class T>
  void nested(const char* key, std::optional<T>& v, const char* doc, const char* type = "",
              Need need = Need::optional) {
    bool present = v.has_value();
    T inner = v.value_or(T{});
    group({.key = key, .doc = doc, .required = need == Need::required, .type = type}, &present,
          [&inner](Describe& d) { describe(d, inner); });
    if (present)
      v = std::move(inner);
    else
      v.reset();
  }
  // A list of structs: { "key": [ { ... }, ... ] }, empty unless given. `first` is what each
  // element starts as.
  template <class T>
  void list(const char* key, std::vector<T>& v, const char* doc, const char* type = "",
            Need need = Need::optional, const T& first = {}) {
    structs({.key = key, .doc = doc, .required = need == Need::required, .type = type}, v, first);
  }
  // A list of structs that may also be written as its only element: { "key": { ... } }.
  template <class T>
  void one_or_many(const char* key, std::vector<T>& v, const char* doc, const char* type = "",
                   Need need = Need::optional) {
    structs({.key = key,
             .doc = doc,
             .required = need == Need::required,
             .type = type,
             .one_or_many = true},
            v, {});
  }

  // A problem that no single range can say ("give frames or duration, not both"), at `key`, or at
  // the thing itself where key is empty. Only readers listen.
  virtual void fault(const char* key, const std::string& message) { (void)key, (void)message; }
  // Whether the text being read has this key, other than as null; others than readers say no. The
  // resolved scene has every key, so a default that is written out must never be a fault.
  virtual bool given(const char* key) const { return (void)key, false; }
  // What decides the keys of this thing was faulty: do not report the others as unknown.
  virtual void ignore_rest() {}
  // 2 or 3 while a scene is read, else 0: "either".
  virtual int dim() const { return 0; }

 protected:
  virtual void value(const Field&, Value) = 0;
  virtual bool choice_value(const Field&, int& chosen) = 0;
  // `present` is null for a struct that always exists.
  virtual void group(const Field&, bool* present, const Walk&) = 0;
  virtual void sequence(const Field&, const std::function<void(std::size_t)>& resize,
                        std::size_t size,
                        const std::function<void(Describe&, std::size_t)>& walk) = 0;

 private:
  template <class T>
  void structs(const Field& field, std::vector<T>& v, const T& first) {
    T example = first;
    sequence(
        field, [&](std::size_t n) { v.assign(n, first); }, v.size(),
        [&](Describe& d, std::size_t i) { describe(d, i < v.size() ? v[i] : example); });
  }
};

}  // namespace rtsim
