#include "param/curve_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"

namespace rtsim {

namespace {

// Of two columns: no word of a line of names is a number.
bool is_header(const std::string& line) {
  std::istringstream words(line);
  bool any = false;
  for (std::string word; words >> word; any = true) {
    char* end = nullptr;
    std::strtod(word.c_str(), &end);
    if (*end == 0) return false;
  }
  return any;
}

}  // namespace

std::vector<std::pair<double, double>> read_curve(const std::string& file) {
  const std::string text = read_input(file, largest_text);
  std::vector<std::pair<double, double>> points;
  int line_number = 0;
  bool first = true;
  for (std::size_t begin = 0; begin < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line.resize(std::min(line.find('#'), line.size()));
    std::ranges::replace_if(
        line, [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\r'; }, ' ');
    if (line.find_first_not_of(' ') == line.npos) continue;
    if (std::exchange(first, false) && is_header(line)) continue;
    double x = 0, y = 0;
    if (std::sscanf(line.c_str(), "%lf %lf", &x, &y) != 2)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}:{}: wants two numbers, x and y", file, line_number + 1));
    points.emplace_back(x, y);
  }
  return points;
}

double interpolated(const std::vector<std::pair<double, double>>& points, double x) {
  const auto next = std::ranges::upper_bound(points, x, {}, &std::pair<double, double>::first);
  if (next == points.begin()) return points.front().second;
  if (next == points.end()) return points.back().second;
  const auto& before = *(next - 1);
  const double share = (x - before.first) / (next->first - before.first);
  return before.second + share * (next->second - before.second);
}

std::vector<std::pair<double, double>> read_history(const std::vector<double>& times,
                                                    const std::vector<double>& values,
                                                    const std::string& file) {
  std::vector<std::pair<double, double>> points;
  if (!file.empty()) points = read_curve(file);
  for (std::size_t k = 0; k < times.size(); ++k) points.emplace_back(times[k], values[k]);
  const std::string what = file.empty() ? "\"times\"" : file;
  if (points.empty()) throw Error(ExitCode::bad_input, what + " has no points");
  for (std::size_t k = 1; k < points.size(); ++k)
    if (!(points[k].first > points[k - 1].first))
      throw Error(ExitCode::bad_input, fmt::format("{}: time {} s does not come after {} s", what,
                                                   points[k].first, points[k - 1].first));
  return points;
}

}  // namespace rtsim
