#include "param/curve_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/input_file.h"

namespace rtsim {

std::vector<std::pair<double, double>> read_curve(const std::string& file) {
  const std::string text = read_input(file, largest_text);
  std::vector<std::pair<double, double>> points;
  int line_number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    line.resize(std::min(line.find('#'), line.size()));
    std::ranges::replace_if(
        line, [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\r'; }, ' ');
    if (line.find_first_not_of(' ') == line.npos) continue;
    double x = 0, y = 0;
    if (std::sscanf(line.c_str(), "%lf %lf", &x, &y) != 2)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}:{}: wants two numbers, x and y", file, line_number + 1));
    points.emplace_back(x, y);
  }
  return points;
}

}  // namespace rtsim
