#include "sim/expect/expect_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace rtsim {

bool in_range(const ExpectSpec& e, double x) {
  return e.range.size() != 2 || (x >= e.range[0] && x <= e.range[1]);
}

double at_time(const SeriesTable& series, const std::string& name, double time) {
  const std::vector<double>& t = series.column("time");
  if (t.empty() || time < t.front() || time > t.back())
    throw Error(ExitCode::different,
                fmt::format("expectation on \"{}\" needs t = {:.6g} s, the series ends at {:.6g} s",
                            name, time, t.empty() ? 0.0 : t.back()));
  return interpolate(t, series.column(name), time);
}

namespace {

std::vector<double> figures(const ExpectSpec& e, const SeriesTable& series) {
  const Difference d = read_difference(e.value);
  std::vector<double> y = series.column(d.series);
  if (!d.minus) return y;
  std::ranges::transform(y, series.column(*d.minus), y.begin(), std::minus<>{});
  return y;
}

double figure_at(const ExpectSpec& e, const SeriesTable& series, double time) {
  const Difference d = read_difference(e.value);
  const double figure = at_time(series, d.series, time);
  return d.minus ? figure - at_time(series, *d.minus, time) : figure;
}

// Rows of the series whose time is in the range, or all.
struct SeriesRows {
  std::vector<double> t, y;
};
SeriesRows rows_in_range(const ExpectSpec& e, const SeriesTable& series) {
  const std::vector<double>&t = series.column("time"), y = figures(e, series);
  SeriesRows r;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (in_range(e, t[i])) r.t.push_back(t[i]), r.y.push_back(y[i]);
  if (r.y.empty())
    throw Error(ExitCode::different, fmt::format("series \"{}\" has no rows{}", e.value,
                                                 e.range.empty() ? "" : " in the range of time"));
  return r;
}

// By the trapezoidal rule [unit s].
double integral(const SeriesRows& r) {
  double sum = 0;
  for (std::size_t i = 1; i < r.y.size(); ++i)
    sum += 0.5 * (r.y[i] + r.y[i - 1]) * (r.t[i] - r.t[i - 1]);
  return sum;
}

// The first time at which the series is above, by straight lines between its rows [s].
double first_above(const ExpectSpec& e, const SeriesRows& r, double threshold) {
  for (std::size_t i = 0; i < r.y.size(); ++i)
    if (r.y[i] > threshold) {
      if (i == 0) return r.t[0];
      const double s = (threshold - r.y[i - 1]) / (r.y[i] - r.y[i - 1]);
      return r.t[i - 1] + s * (r.t[i] - r.t[i - 1]);
    }
  throw Error(ExitCode::different,
              fmt::format("series \"{}\" is never above {:.6g}", e.value, threshold));
}

// The mean time from one rise through the mean to the next [s]. A rise counts after the series was
// half its root mean square below: what trembles about the mean has no period of its own.
double period(const ExpectSpec& e, const SeriesRows& r) {
  const auto n = double(r.y.size());
  const double mean = std::accumulate(r.y.begin(), r.y.end(), 0.0) / n;
  double square = 0;
  for (const double y : r.y) square += (y - mean) * (y - mean) / n;
  std::vector<double> rises;
  bool low = false;
  for (std::size_t i = 1; i < r.y.size(); ++i) {
    low = low || r.y[i - 1] - mean < -0.5 * std::sqrt(square);
    if (!low || r.y[i] <= mean) continue;
    const double s = (mean - r.y[i - 1]) / (r.y[i] - r.y[i - 1]);
    rises.push_back(r.t[i - 1] + s * (r.t[i] - r.t[i - 1])), low = false;
  }
  if (rises.size() < 2)
    throw Error(
        ExitCode::different,
        fmt::format("series \"{}\" swings less than twice about its mean, {:.6g}", e.value, mean));
  return (rises.back() - rises.front()) / double(rises.size() - 1);
}

}  // namespace

Difference read_difference(const std::string& value) {
  const std::size_t at = value.find(" - ");
  if (at == value.npos) return {value, {}};
  return {value.substr(0, at), value.substr(at + 3)};
}

double value_at(const ExpectSpec& e, const SeriesTable& series) {
  const ExpectMoment m = read_moment(e.at);
  const SeriesRows r = rows_in_range(e, series);
  switch (m.kind) {
    case ExpectMoment::Kind::final:
      return r.y.back();
    case ExpectMoment::Kind::min:
      return *std::ranges::min_element(r.y);
    case ExpectMoment::Kind::max:
      return *std::ranges::max_element(r.y);
    case ExpectMoment::Kind::mean:
      return std::accumulate(r.y.begin(), r.y.end(), 0.0) / double(r.y.size());
    case ExpectMoment::Kind::integral:
      return integral(r);
    case ExpectMoment::Kind::period:
      return period(e, r);
    case ExpectMoment::Kind::first_above:
      return first_above(e, r, m.figure);
    case ExpectMoment::Kind::time:
      return figure_at(e, series, m.figure);
    case ExpectMoment::Kind::unknown:
      break;
  }
  throw Error(ExitCode::bad_input, fmt::format("expectation on \"{}\": \"at\" is {}, not \"{}\"",
                                               e.value, expect_moments, e.at));
}

ColumnName column_name(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos)
    throw Error(ExitCode::bad_input, fmt::format("profile \"{}\": wants <object>.<column>", text));
  ColumnName name{text.substr(0, dot), text.substr(dot + 1)};
  for (int c = 0; c < 3; ++c)
    if (name.column.ends_with(std::string{'.', "xyz"[c]})) {
      name.column.resize(name.column.size() - 2), name.component = c;
      break;
    }
  return name;
}

}  // namespace rtsim
