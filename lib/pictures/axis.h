#pragma once
#include <string>
#include <vector>

namespace rtsim {

// An axis from low to high, widened to whole ticks: steps of 1, 2 or 5 times a power of ten, about
// as many as asked for (Heckbert, "Nice Numbers for Graph Labels", Graphics Gems 1990). A
// logarithmic one has its ticks at powers of ten, and takes the logarithms of what it places.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  double share(double value) const;  // 0 at low, 1 at high
  std::string label(double tick) const;
};

// 1, 2 or 5 times a power of ten, near to what is above zero.
double round_number(double);

Axis axis_over(double low, double high, int about, bool logarithmic);

}  // namespace rtsim
