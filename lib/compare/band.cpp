#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compare/compare_series.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

// The runs below a folder, by name; those a sweep put into cases/ too.
std::vector<SeriesTable> members(const fs::path& folder) {
  std::vector<fs::path> runs;
  if (fs::is_directory(folder))
    for (const auto& e : fs::recursive_directory_iterator(folder))
      if (e.path().filename() == "series.csv") runs.push_back(e.path());
  std::ranges::sort(runs);
  if (runs.size() < 3)
    throw Error(ExitCode::bad_input,
                fmt::format("--band wants a folder of at least three runs, which show how far "
                            "such runs lie apart; {} holds {}",
                            folder.string(), runs.size()));
  std::vector<SeriesTable> tables;
  for (const fs::path& run : runs) tables.push_back(series_of(run));
  return tables;
}

// What the members have at one time.
struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread(const std::vector<SeriesTable>& all, const std::string& name, double time) {
  std::vector<double> y;
  for (const SeriesTable& t : all) y.push_back(interpolate(t.column("time"), t.column(name), time));
  const double n = double(y.size());
  Spread s;
  for (const double v : y) s.mean += v / n;
  double squares = 0;
  for (const double v : y) squares += (v - s.mean) * (v - s.mean);
  // Of one more draw against a mean of n: both are uncertain.
  s.deviation = std::sqrt(squares / (n - 1) * (1 + 1 / n));
  return s;
}

Compared compare_one(const std::vector<SeriesTable>& all, const SeriesTable& b,
                     const std::string& name, const CompareOptions& o, const Band& band) {
  const Tolerance t = o.tolerances.of(name);
  const auto &time = b.column("time"), &y = b.column(name);
  Compared c{.name = name, .unit = "", .first = {}, .worst = {}};
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (std::ranges::any_of(all, [&](const SeriesTable& m) {
          return m.rows() == 0 || time[i] > m.column("time").back() * (1 + 1e-9);
        }))
      break;
    ++c.values;
    const Spread s = spread(all, name, time[i]);
    const double e =
        excess({t.abs + band.width * s.deviation, t.rel}, s.mean, y[i], std::abs(s.mean));
    if (e > 0) c.note(s.mean, y[i], e, [&] { return row_place(b.column("step")[i], time[i]); });
  }
  // A share may lie outside: that is what a spread means.
  if (double(c.different) <= band.outside * double(c.values)) c.different = 0;
  return c;
}

// The time that all members reach.
double common_end(const std::vector<SeriesTable>& all) {
  double end = INFINITY;
  for (const SeriesTable& m : all) end = std::min(end, m.rows() == 0 ? 0 : m.column("time").back());
  return end;
}

}  // namespace

Comparison compare_with_band(const CompareOptions& o, const Band& band) try {
  const std::vector<SeriesTable> all = members(o.a);
  const SeriesTable b = series_of(o.b);
  Comparison c;
  const double end = common_end(all), reached = b.rows() == 0 ? 0 : b.column("time").back();
  if (reached < end * (1 - 1e-9))
    c.faults.push_back(
        fmt::format("B ends at t = {:.6g} s, the runs of A at {:.6g} s or later", reached, end));
  for (const std::string& name : measured(all[0], o.series)) {
    if (!std::ranges::all_of(all, [&](const SeriesTable& m) { return m.has(name); })) {
      c.notes.push_back("not all runs of A have the series " + name);
    } else if (!b.has(name)) {
      c.faults.push_back("B has no series " + name);
    } else {
      c.series.push_back(compare_one(all, b, name, o, band));
      if (c.series.back().values == 0) c.faults.push_back(name + " shares no time with A");
    }
  }
  if (c.series.empty() && c.faults.empty())
    throw Error(ExitCode::bad_input, "nothing to compare: no series is asked for");
  c.notes.push_back(fmt::format("A is the mean of {} runs; frames are not compared", all.size()));
  return c;
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
