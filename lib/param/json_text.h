#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rtsim {

struct Place {
  int line = 0, column = 0;  // from 1, columns in characters; {0, 0}: not in the text
  auto operator<=>(const Place&) const = default;
};

// One mistake in a scene, addressed by RFC 6901 JSON pointer; "" is the whole document.
struct Problem {
  std::string pointer;
  std::string message;
  Place at{};         // where it is not the pointer's own place: syntax errors, second keys
  std::string set{};  // the --set text that is itself at fault
};

// A value that --set put in place of the text's.
struct Override {
  std::string pointer;
  std::string text;  // "/pointer=value"
};

// JSON with // comments, and where each value stands: the key of an object's member, the first
// character of an array's element. Duplicate keys and syntax errors become problems.
struct JsonText {
  std::string name;                       // of the file, for messages
  std::shared_ptr<nlohmann::json> value;  // null after a syntax error
  std::map<std::string, Place, std::less<>> places;
  std::vector<Override> overrides;
  std::vector<Problem> problems;

  // The nearest enclosing place that is known.
  Place place(std::string_view pointer) const;
  // "scene.json:3:7: /stages/0/stifness: unknown key", or "--set /a/b=1: ..." for what it set
  std::string line(const Problem&) const;
  // All lines in the order of the text, those of --set behind.
  std::string lines(std::vector<Problem>) const;
};

// Nesting deeper than 64 levels is a problem too, so that every reader may recurse.
JsonText parse_json(std::string text, std::string name);

// Puts "/json/pointer=value" into the text's value: JSON, or a bare text. The last key may be new,
// everything before it must exist.
void apply_override(JsonText&, const std::string& set);

// "/stages/0" and "a/b" make "/stages/0/a~1b".
std::string child_pointer(std::string_view parent, std::string_view key);

bool is_utf8(const std::string&);

// One line of JSON for messages, shortened in the middle of long values.
std::string short_text(const nlohmann::json&);

}  // namespace rtsim
