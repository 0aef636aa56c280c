#pragma once
#include <string>
#include <utility>
#include <vector>

namespace rtsim {

// Points (x, y) from two columns, separated by a comma, a semicolon or spaces; # starts a comment.
// The first line may name the columns.
// Throws Error{bad_input} with file and line.
std::vector<std::pair<double, double>> read_curve(const std::string& file);

}  // namespace rtsim
