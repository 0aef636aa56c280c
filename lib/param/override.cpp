#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/nearest.h"
#include "param/json_text.h"

namespace rtsim {

using nlohmann::json;

namespace {

// RFC 6901: ~1 stands for a slash in a key, ~0 for a tilde.
std::string unescaped(std::string key) {
  for (const auto& [code, character] : {std::pair("~1", "/"), std::pair("~0", "~")})
    for (auto at = key.find(code); at != key.npos; at = key.find(code, at + 1))
      key.replace(at, 2, character);
  return key;
}

std::vector<std::string> keys_of(std::string_view pointer) {
  std::vector<std::string> keys;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto end = std::min(pointer.find('/'), pointer.size());
    keys.push_back(unescaped(std::string(pointer.substr(0, end))));
    pointer.remove_prefix(end);
  }
  return keys;
}

std::optional<std::size_t> index_in(const json& array, const std::string& key) {
  const bool digits = key.find_first_not_of("0123456789") == key.npos;
  if (key.empty() || key.size() > 9 || !digits || (key[0] == '0' && key != "0")) return {};
  const std::size_t index = std::stoul(key);
  return index < array.size() ? std::optional(index) : std::nullopt;
}

// The member or element `key`, null where there is none.
json* child(json& parent, const std::string& key) {
  if (parent.is_array()) {
    const auto index = index_in(parent, key);
    return index ? &parent[*index] : nullptr;
  }
  const auto found = parent.is_object() ? parent.find(key) : parent.end();
  return found == parent.end() ? nullptr : &*found;
}

std::string absent(const json& parent, const std::string& pointer, const std::string& key) {
  std::string text = fmt::format("there is no {} in the scene", child_pointer(pointer, key));
  const std::string name = pointer.empty() ? "the scene" : pointer;
  if (parent.is_array()) return text + fmt::format("; {} has {} elements", name, parent.size());
  if (!parent.is_object()) return text + fmt::format("; {} is no object", name);
  std::vector<std::string> known;
  for (const auto& member : parent.items()) known.push_back(member.key());
  return text + did_you_mean(key, known);
}

// JSON where it is JSON, a bare text elsewhere; what starts like a list or an object must be one.
json parsed(const std::string& text, std::string& message) {
  JsonText read = parse_json(text, "");
  const bool structured = text.find_first_of("{[\"") == text.find_first_not_of(" \t");
  if (!read.value && !(structured && !text.empty())) return text;
  if (!read.problems.empty()) message = read.problems.front().message;
  return read.value ? *read.value : json();
}

// Returns what is wrong, empty if nothing.
std::string put(json& root, const std::string& pointer, const std::string& text) {
  const std::vector<std::string> keys = keys_of(pointer);
  json* at = &root;
  std::string here;
  for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
    json* const next = child(*at, keys[k]);
    if (!next) return absent(*at, here, keys[k]);
    at = next, here = child_pointer(here, keys[k]);
  }
  const std::string& last = keys.back();
  std::string message;
  json value = parsed(text, message);
  if (!message.empty()) return message;
  if (at->is_object())
    (*at)[last] = std::move(value);
  else if (json* const element = child(*at, last))
    *element = std::move(value);
  else
    return absent(*at, here, last);
  return "";
}

}  // namespace

void apply_override(JsonText& text, const std::string& set) {
  if (!text.value) return;
  const auto fail = [&](const std::string& message) {
    text.problems.push_back({.pointer = "", .message = message, .at = {}, .set = set});
  };
  if (!is_utf8(set)) return fail("is not valid UTF-8");
  const auto equals = set.find('=');
  if (equals == set.npos) return fail("needs a value, as in --set /time/frames=10");
  const std::string pointer = set.substr(0, equals);
  if (!pointer.starts_with('/'))
    return fail("must start with a JSON pointer, as in --set /time/frames=10");
  const std::string message = put(*text.value, pointer, set.substr(equals + 1));
  if (!message.empty()) return fail(message);
  text.overrides.push_back({pointer, set});
}

}  // namespace rtsim
