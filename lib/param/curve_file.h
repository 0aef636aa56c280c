#pragma once
#include <string>
#include <utility>
#include <vector>

namespace rtsim {

// Points (x, y) from two columns, separated by a comma, a semicolon or spaces; # starts a comment.
// The first line may name the columns.
// Throws Error{bad_input} with file and line.
std::vector<std::pair<double, double>> read_curve(const std::string& file);

// y at x of points whose x grow, linear between them; before the first and behind the last as
// there.
double interpolated(const std::vector<std::pair<double, double>>& points, double x);

// Points at these times, or else those of the file. Throws Error{bad_input} where there are none,
// or times do not grow.
std::vector<std::pair<double, double>> read_history(const std::vector<double>& times,
                                                    const std::vector<double>& values,
                                                    const std::string& file);

}  // namespace rtsim
