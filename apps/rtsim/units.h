#pragma once
#include <string>

namespace rtsim {

// "90", "90s", "10min", "1h30m", "1.5h" in seconds; throws Error{usage}.
double parse_duration(const std::string& text);

std::string bytes_text(double bytes);       // "36.2 MB"
std::string duration_text(double seconds);  // "1 h 30 min"

}  // namespace rtsim
