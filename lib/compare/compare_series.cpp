#include "compare/compare_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cache/no_run.h"

namespace rtsim {

namespace fs = std::filesystem;

SeriesTable series_of(const fs::path& run) {
  const fs::path csv = fs::is_directory(run) ? run / "series.csv" : run;
  if (!fs::exists(csv)) throw no_run(run, "no series.csv");
  SeriesTable t = read_series(csv);
  if (!t.has("step") || !t.has("time"))
    throw Error(ExitCode::bad_input,
                csv.string() + ": no columns \"step\" and \"time [s]\", so it is no log of a run");
  return t;
}

std::string row_place(double step, double time) {
  return fmt::format("step {:.0f}, t = {:.6g} s", step, time);
}

std::vector<std::string> measured(const SeriesTable& t, const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const std::string& name : t.names)
    if (name != "step" && name != "time" && fits(patterns, name)) names.push_back(name);
  return names;
}

namespace {

// Which rows of a have a value in b, and how it is had: of the same step where the steps are those
// of the same times, else between b's rows.
class Matched {
 public:
  Matched(const SeriesTable& a, const SeriesTable& b)
      : time_(a.column("time")), b_time_(b.column("time")), b_row_(a.rows(), none) {
    const auto &step = a.column("step"), &b_step = b.column("step");
    for (std::size_t i = 0, k = 0; i < a.rows(); ++i) {
      while (k < b.rows() && b_step[k] < step[i]) ++k;
      if (k == b.rows() || b_step[k] != step[i]) continue;
      b_row_[i] = k;
      if (std::abs(b_time_[k] - time_[i]) > 1e-9 * std::abs(time_[i])) resampled_ = true;
    }
    const auto found = std::size_t(std::ranges::count_if(b_row_, [](auto k) { return k != none; }));
    if (found < std::min(a.rows(), b.rows())) resampled_ = true;
  }

  bool resampled() const { return resampled_; }
  bool has(std::size_t i) const {
    if (!resampled_) return b_row_[i] != none;
    // A last row that rounding puts behind b's last one still counts.
    const double slack = 1e-9 * std::abs(time_[i]);
    return !b_time_.empty() && time_[i] >= b_time_.front() - slack &&
           time_[i] <= b_time_.back() + slack;
  }
  double value(const std::vector<double>& y, std::size_t i) const {
    return resampled_ ? interpolate(b_time_, y, std::min(time_[i], b_time_.back())) : y[b_row_[i]];
  }

 private:
  static constexpr std::size_t none = std::size_t(-1);
  const std::vector<double>&time_, &b_time_;
  std::vector<std::size_t> b_row_;
  bool resampled_ = false;
};

Compared compare_one(const std::string& name, const SeriesTable& a, const SeriesTable& b,
                     const Matched& rows, const Tolerance& t) {
  Compared c{.name = name, .unit = a.unit(name), .first = {}, .worst = {}};
  const auto &x = a.column(name), &y = b.column(name);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!rows.has(i)) continue;
    ++c.values;
    const double other = rows.value(y, i);
    const double e = excess(t, x[i], other, std::max(std::abs(x[i]), std::abs(other)));
    if (e > 0)
      c.note(x[i], other, e, [&] { return row_place(a.column("step")[i], a.column("time")[i]); });
  }
  return c;
}

void compare_ends(const SeriesTable& a, const SeriesTable& b, const Matched& rows, Comparison& c) {
  std::size_t without = 0, first = 0;
  for (std::size_t i = a.rows(); i-- > 0;)
    if (!rows.has(i)) ++without, first = i;
  if (without > 0)
    c.faults.push_back(
        fmt::format("{} of {} rows of the series have no match in B, the first at {}", without,
                    a.rows(), row_place(a.column("step")[first], a.column("time")[first])));
  if (rows.resampled())
    c.notes.push_back("the series were measured at other times: B is interpolated to those of A");
  note_end(a, b, c);
}

}  // namespace

void note_end(const SeriesTable& a, const SeriesTable& b, Comparison& c) {
  if (b.rows() > 0 && a.rows() > 0 &&
      b.column("time").back() > a.column("time").back() * (1 + 1e-9))
    c.notes.push_back(fmt::format("B goes on to t = {:.6g} s", b.column("time").back()));
}

void compare_names(const SeriesTable& a, const SeriesTable& b, const CompareOptions& o,
                   Comparison& c,
                   const std::function<Compared(const std::string& name)>& compare_one) {
  for (const std::string& name : measured(a, o.series)) {
    if (!b.has(name)) {
      c.faults.push_back("B has no series " + name);
    } else if (a.unit(name) != b.unit(name)) {
      c.faults.push_back(
          fmt::format("{} is in \"{}\", in B in \"{}\"", name, a.unit(name), b.unit(name)));
    } else {
      c.series.push_back(compare_one(name));
    }
  }
  for (const std::string& name : measured(b, o.series))
    if (!a.has(name)) c.notes.push_back("only B has the series " + name);
}

void compare_series(const SeriesTable& a, const SeriesTable& b, const CompareOptions& o,
                    Comparison& c) {
  const Matched rows(a, b);
  compare_ends(a, b, rows, c);
  compare_names(a, b, o, c, [&](const std::string& name) {
    return compare_one(name, a, b, rows, o.tolerances.of(name));
  });
}

}  // namespace rtsim
