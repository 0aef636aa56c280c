#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rtsim {

// One mistake in a scene, addressed by RFC 6901 JSON pointer; "" is the whole document.
struct Problem {
  std::string pointer;
  std::string message;
};

struct Place {
  int line = 0, column = 0;  // from 1; {0, 0}: not in the text
};

// JSON with // comments, and where each value stands: the key of an object's member, the first
// character of an array's element. Duplicate keys and syntax errors become problems.
struct JsonText {
  std::string name;  // of the file, for messages
  std::shared_ptr<nlohmann::json> value;  // null after a syntax error
  std::map<std::string, Place, std::less<>> places;
  std::vector<Problem> problems;

  // The nearest enclosing place that is known.
  Place place(std::string_view pointer) const;
  // "scene.json:3:7: /stages/0/stifness: unknown key"
  std::string line(const Problem&) const;
};

JsonText parse_json(std::string text, std::string name);

}  // namespace rtsim
