#pragma once
#include <string>
#include <vector>

#include "param/manual.h"

namespace rtsim {

// One form of a thing whose keys depend on its type: the stage "wcsph", the object "mesh".
struct ManualForm {
  std::string title;
  std::string intro;  // paragraphs above the table; may be empty
  ManualRows rows;
};

// Sections of Markdown on all forms of `thing` ("stage"). Parameters that several forms have with
// the same words are printed once, in a section of those forms, to which theirs refer.
std::string manual_forms(const std::string& thing, const std::vector<ManualForm>&);

}  // namespace rtsim
