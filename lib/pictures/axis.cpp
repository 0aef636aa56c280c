#include "pictures/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rtsim {

double round_number(double x) {
  const double power = std::pow(10, std::floor(std::log10(x))), digit = x / power;
  return power * (digit < 1.5 ? 1 : digit < 3 ? 2 : digit < 7 ? 5 : 10);
}

namespace {

Axis powers_of_ten(double low, double high, int about) {
  Axis a{std::floor(std::log10(low)), std::ceil(std::log10(high)), true, {}};
  if (a.high == a.low) a.high += 1;
  const double step = std::max(1.0, std::ceil((a.high - a.low) / about));
  for (double e = a.low; e <= a.high; e += step) a.ticks.push_back(std::pow(10, e));
  return a;
}

}  // namespace

Axis axis_over(double low, double high, int about, bool logarithmic) {
  if (logarithmic) return powers_of_ten(low, high, about);
  if (!(high - low > 1e-12 * std::max(std::abs(low), std::abs(high)))) {
    const double room = low != 0 ? 0.1 * std::abs(low) : 1;
    low -= room, high += room;
  }
  const double step = round_number((high - low) / about);
  Axis a{step * std::floor(low / step + 1e-9), step * std::ceil(high / step - 1e-9), false, {}};
  const long count = std::lround((a.high - a.low) / step);
  for (long k = 0; k <= count; ++k) a.ticks.push_back(a.low + double(k) * step);
  return a;
}

double Axis::share(double value) const {
  return ((logarithmic ? std::log10(value) : value) - low) / (high - low);
}

std::string Axis::label(double tick) const {
  // A tick beside zero that is rounding alone is zero.
  const bool zero = !logarithmic && std::abs(tick) < 1e-9 * (high - low);
  return fmt::format("{:.6g}", zero ? 0 : tick);
}

}  // namespace rtsim
