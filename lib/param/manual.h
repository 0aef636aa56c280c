#pragma once
#include <string>
#include <utility>
#include <vector>

#include "param/describe.h"

namespace rtsim {

// A line of the manual: one parameter.
struct ManualRow {
  std::string key;  // from the struct described: "transform.angle", "keyframes[].time"
  std::string type;
  std::string unit;
  std::string standard;  // what it is unless given: a value, "required" or "none"
  std::string range;
  std::string doc;
};
using ManualRows = std::vector<ManualRow>;

// The rows of what `walk` visits. Types with a name are described once, in `types`, where they are
// appended unless they are there already.
ManualRows manual_rows(const Describe::Walk& walk,
                       std::vector<std::pair<std::string, ManualRows>>& types);

std::string manual_markdown(const ManualRows&);  // a table
std::string manual_text(const ManualRows&);      // for a terminal

}  // namespace rtsim
