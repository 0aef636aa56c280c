#pragma once
#include <string>

#include "param/describe.h"

namespace rtsim {

// What the reader's messages, the schema and the manual say of a field, in the same words.

// "kg/m^D" is kg/m^2 or kg/m^3; with dim 0 it stays.
std::string unit_text(const char* unit, int dim);

// ">= 0 N s/m", "between 0 and 1", empty for any.
std::string range_text(const Range&, const std::string& unit);

// "number", "whole number", "vector", "name of a boundary or bodies", ...
std::string type_text(const Field&, const Describe::Value&);

// "particles", "boundary or bodies": the kinds an object name may have.
std::string kinds_text(const Field&);

// `"a", "b" or "c"`
std::string options_text(const Field&);

// The default as it would be written, empty for an empty optional.
std::string default_text(const Describe::Value&, int dim);

std::string interval_text(const FramesOrTime&);                   // "5 min", "10"
bool parse_interval(const std::string& text, FramesOrTime& out);  // of a time with its unit

}  // namespace rtsim
