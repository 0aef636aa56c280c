#pragma once
#include <string>

namespace rtsim {

// The keys of a sweep file: JSON Schema, and tables for the manual.
std::string sweep_schema();
std::string sweep_manual();

}  // namespace rtsim
