#include "param/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "param/json_cursor.h"

namespace rtsim {

using nlohmann::json;

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_lines = 50;  // of problems

// Builds the value and the places from the parser's events. A second key of the same name is a
// problem; its value is parsed but left out.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, JsonText& out) : cursor_(text), out_(out) {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool v) override { return scalar(v); }
  bool number_integer(std::int64_t v) override { return scalar(v); }
  bool number_unsigned(std::uint64_t v) override { return scalar(v); }
  bool number_float(double v, const std::string&) override { return scalar(v); }
  bool string(std::string& v) override { return scalar(std::move(v)); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = levels_.back();
    const Place place = cursor_.next();
    cursor_.skip_key();
    level.target = nullptr;
    if (!level.value) return true;
    level.child = child_pointer(level.pointer, name);
    const auto [first, is_new] = out_.places.try_emplace(level.child, place);
    if (is_new)
      level.target = &(*level.value)[name];
    else
      out_.problems.push_back(
          {level.child, fmt::format("given twice; first on line {}", first->second.line), place});
    return true;
  }

  bool parse_error(std::size_t read, const std::string&, const json::exception& e) override {
    const Place at = cursor_.unexpected(read);
    out_.problems.push_back({"", syntax_message(e.what()), at});
    return false;
  }

 private:
  struct Level {
    std::string pointer;
    json* value;             // null: left out
    std::string child{};     // of an object: the member being read
    json* target = nullptr;  // where that member goes, null: left out
  };

  template <class V>
  bool scalar(V&& v) {
    place_element();
    cursor_.skip_scalar();
    store(std::forward<V>(v));
    return true;
  }

  bool open(json empty) {
    place_element();
    std::string pointer = here();
    if (levels_.size() == deepest) {
      out_.problems.push_back(
          {pointer, fmt::format("nested deeper than {} levels", deepest), cursor_.next()});
      return false;
    }
    cursor_.skip_open();
    levels_.push_back({std::move(pointer), store(std::move(empty))});
    return true;
  }

  bool close() {
    cursor_.skip_close();
    levels_.pop_back();
    return true;
  }

  bool in_array() const {
    return !levels_.empty() && levels_.back().value && levels_.back().value->is_array();
  }

  std::string here() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    return in_array() ? fmt::format("{}/{}", level.pointer, level.value->size()) : level.child;
  }

  // Members have the place of their key.
  void place_element() {
    if (levels_.empty() || in_array()) out_.places.try_emplace(here(), cursor_.next());
  }

  // Returns where the value went, if anywhere.
  template <class V>
  json* store(V&& v) {
    if (in_array()) return &levels_.back().value->emplace_back(std::forward<V>(v));
    json* const target = levels_.empty() ? out_.value.get() : levels_.back().target;
    if (target) *target = std::forward<V>(v);
    return target;
  }

  JsonCursor cursor_;
  JsonText& out_;
  std::vector<Level> levels_;
};

// The text of --set for this pointer, the last one first: a later one hides an earlier one.
const Override* override_of(const std::vector<Override>& overrides, std::string_view pointer) {
  for (auto o = overrides.rbegin(); o != overrides.rend(); ++o)
    if (pointer == o->pointer || pointer.starts_with(o->pointer + "/")) return &*o;
  return nullptr;
}

std::string without_control(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20)
      shown += fmt::format("\\u{:04x}", int(c));
    else
      shown += c;
  }
  return shown;
}

}  // namespace

JsonText parse_json(std::string text, std::string name) {
  JsonText out;
  out.name = std::move(name);
  out.value = std::make_shared<json>();
  std::string_view body = text;
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  // The parser takes a NUL for the end and would ignore the rest.
  if (const auto nul = body.find('\0'); nul != body.npos) {
    out.problems.push_back({"", "a NUL byte: is this a text file?", place_of(body, nul)});
  } else {
    Builder builder(body, out);
    if (json::sax_parse(body, &builder, json::input_format_t::json, true, true)) return out;
  }
  out.value = nullptr;
  return out;
}

Place JsonText::place(std::string_view pointer) const {
  for (;;) {
    if (const auto found = places.find(pointer); found != places.end()) return found->second;
    if (pointer.empty()) return {};
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
}

std::string JsonText::line(const Problem& problem) const {
  const std::string pointer = problem.pointer.empty() ? "" : problem.pointer + ": ";
  const Override* const o = override_of(overrides, problem.pointer);
  const Place at = problem.at.line ? problem.at : place(problem.pointer);
  std::string where = name + ": " + pointer;
  if (!problem.set.empty())
    where = "--set " + problem.set + ": ";
  else if (o)
    where = "--set " + o->text + ": " + (problem.pointer == o->pointer ? "" : pointer);
  else if (at.line)
    where = fmt::format("{}:{}:{}: {}", name, at.line, at.column, pointer);
  return without_control(where + problem.message);  // which may quote what the scene says
}

std::string JsonText::lines(std::vector<Problem> all) const {
  const auto order = [&](const Problem& p) {
    const Override* const o = override_of(overrides, p.pointer);
    const bool set = !p.set.empty() || o;
    const Place in_overrides{o ? int(o - overrides.data()) : -1, 0};
    return std::pair(set, set ? in_overrides : p.at.line ? p.at : place(p.pointer));
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Problem& a, const Problem& b) { return order(a) < order(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most_lines); ++i)
    text += (i ? "\n" : "") + line(all[i]);
  if (all.size() > most_lines) text += fmt::format("\nand {} more", all.size() - most_lines);
  return text;
}

std::string child_pointer(std::string_view parent, std::string_view key) {
  std::string pointer(parent);
  pointer += '/';
  for (const char c : key) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

bool is_utf8(const std::string& text) {
  try {
    return !json(text).dump().empty();
  } catch (const json::type_error&) {
    return false;
  }
}

std::string short_text(const json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // inside a character
  return text.substr(0, end) + "...";
}

}  // namespace rtsim
