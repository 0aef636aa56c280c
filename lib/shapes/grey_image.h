#pragma once
#include <string>
#include <vector>

namespace rtsim {

struct GreyImage {
  int width = 0, height = 0;
  std::vector<double> values;  // 0 black to 1 white, row by row from the top

  double at(int column, int row) const { return values[std::size_t(row) * width + column]; }
};

// Greyscale PNG; throws Error{bad_input} for anything else.
GreyImage read_grey_png(const std::string& path);

}  // namespace rtsim
