#include "sweep/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/random.h"

namespace rtsim {
namespace {

enum Stream : std::uint64_t { value_stream = 0, order_stream = 1, slice_stream = 2 };

// Uniform in [0, 1), from 53 bits.
double unit_draw(std::int64_t seed, const std::string& name, Stream stream, int draw) {
  const auto key = std::uint32_t(hash_bytes(name.data(), name.size()));
  const Random4 r = philox(std::uint64_t(seed), key, stream, std::uint32_t(draw));
  return ((r.c[0] >> 5) * 67108864.0 + (r.c[1] >> 6)) / 9007199254740992.0;
}

// The value below which a share u of the distribution lies.
double quantile(const DrawnAxisSpec& a, double u) {
  const double from = a.from.value_or(0), to = a.to.value_or(0);
  switch (a.distribution) {
    case DrawnAxisSpec::Distribution::log_uniform:
      return from * std::pow(to / from, u);
    case DrawnAxisSpec::Distribution::normal:
      return *a.mean + *a.deviation * normal_quantile(std::max(u, 0x1p-54));
    case DrawnAxisSpec::Distribution::uniform:
      break;
  }
  if (!a.whole) return from + (to - from) * u;
  const double first = std::ceil(from), last = std::floor(to);
  return std::min(last, first + std::floor((last - first + 1) * u));
}

std::string draw_text(const DrawnAxisSpec& a, double u) {
  return a.whole ? fmt::format("{:.0f}", quantile(a, u)) : fmt::format("{:.6g}", quantile(a, u));
}

// The slices of one axis in the order of the draws: Fisher and Yates' shuffle.
std::vector<int> shuffled(const DrawSpec& s, const std::string& name) {
  std::vector<int> order(std::size_t(s.count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = s.count - 1; i > 0; --i) {
    const int j = int(unit_draw(s.seed, name, order_stream, i) * (i + 1));
    std::swap(order[std::size_t(i)], order[std::size_t(j)]);
  }
  return order;
}

double range_value(const AxisSpec& a, int i, int count) {
  if (a.step) return *a.from + i * *a.step;
  if (count == 1) return *a.from;
  const double part = double(i) / (count - 1);
  if (a.spacing == Spacing::log) return *a.from * std::pow(*a.to / *a.from, part);
  return *a.from + (*a.to - *a.from) * part;
}

}  // namespace

double normal_quantile(double p) {
  constexpr double root_half = 0.70710678118654752440, inv_root_2pi = 0.39894228040143267794;
  if (p > 0.5) return -normal_quantile(1 - p);
  // Newton on log P: it is concave, so from the left the steps never leave the basin.
  double x = -std::sqrt(-2 * std::log(p));
  for (int k = 0; k < 100; ++k) {
    const double below = 0.5 * std::erfc(-x * root_half);
    const double density = inv_root_2pi * std::exp(-0.5 * x * x);
    const double move = std::log(below / p) * below / density;
    x -= move;
    if (std::abs(move) <= 1e-14 * std::abs(x) + 1e-15) break;
  }
  return x;
}

std::vector<std::string> values_of(const AxisSpec& a) {
  if (!a.values.empty()) return a.values;
  constexpr double almost = 1e-9;  // of a step: the last value is reached all the same
  const int count = a.step ? int(std::floor((*a.to - *a.from) / *a.step + almost)) + 1 : *a.count;
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i)
    values.push_back(fmt::format("{:.12g}", range_value(a, i, count)));
  return values;
}

std::vector<std::string> random_draw(const DrawSpec& s, const std::vector<std::string>& names,
                                     int draw) {
  std::vector<std::string> values;
  for (std::size_t a = 0; a < s.axes.size(); ++a)
    values.push_back(draw_text(s.axes[a], unit_draw(s.seed, names[a], value_stream, draw)));
  return values;
}

std::vector<std::vector<std::string>> latin_hypercube(const DrawSpec& s,
                                                      const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> draws(std::size_t(s.count));
  for (std::size_t a = 0; a < s.axes.size(); ++a) {
    const std::vector<int> slice = shuffled(s, names[a]);
    for (int i = 0; i < s.count; ++i) {
      const double within = unit_draw(s.seed, names[a], slice_stream, i);
      const double u = (slice[std::size_t(i)] + within) / s.count;
      draws[std::size_t(i)].push_back(draw_text(s.axes[a], u));
    }
  }
  return draws;
}

}  // namespace rtsim
