#include "sweep/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "compare/compare_series.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view moment_names[] = {"last", "min", "max", "mean"};

std::string text_of(const std::string& json) {
  const auto value = nlohmann::json::parse(json);
  return value.is_string() ? value.get<std::string>() : json;
}

TableColumn texts(const std::string& name, const SweepStatus& s, auto&& of) {
  TableColumn c{name, "", {}, {}};
  for (const CaseStatus& one : s.cases) c.texts.push_back(of(one));
  return c;
}

TableColumn numbers(const std::string& name, const std::string& unit, const SweepStatus& s,
                    auto&& of) {
  TableColumn c{name, unit, {}, {}};
  for (const CaseStatus& one : s.cases) c.numbers.push_back(of(one));
  return c;
}

std::vector<std::string> chosen(const SeriesTable& table,
                                const std::vector<std::string>& patterns) {
  if (!patterns.empty()) return measured(table, patterns);
  const auto totals = measured(table, {"total.*"});
  return totals.empty() ? measured(table, {}) : totals;
}

// Columns of series, in the order in which cases name them first.
class SeriesColumns {
 public:
  SeriesColumns(std::size_t cases, const GatherOptions& o) : cases_(cases), o_(o) {
    if (moments_.empty()) moments_ = {Moment::last, Moment::min, Moment::max, Moment::mean};
  }

  void add(std::size_t row, const SeriesTable& table) {
    for (const std::string& name : chosen(table, o_.series))
      for (const Moment m : moments_)
        column(name, table.unit(name), m).numbers[row] = moment_of(m, table.column(name));
  }

  std::vector<TableColumn> take() { return std::move(columns_); }

 private:
  TableColumn& column(const std::string& series, const std::string& unit, Moment m) {
    const std::string name = fmt::format("{}:{}", series, moment_names[int(m)]);
    const auto [place, is_new] = places_.try_emplace(name, columns_.size());
    if (is_new) columns_.push_back({name, unit, std::vector<double>(cases_, nothing), {}});
    return columns_[place->second];
  }

  std::size_t cases_;
  const GatherOptions& o_;
  std::vector<Moment> moments_ = o_.moments;
  std::map<std::string, std::size_t> places_;
  std::vector<TableColumn> columns_;
};

}  // namespace

Moment read_moment_name(const std::string& text) {
  for (int m = 0; m < 4; ++m)
    if (text == moment_names[m]) return Moment(m);
  throw Error(ExitCode::usage, fmt::format("\"{}\" is none of last, min, max, mean", text));
}

double moment_of(Moment m, const std::vector<double>& y) {
  if (y.empty()) return nothing;
  switch (m) {
    case Moment::min:
      return *std::ranges::min_element(y);
    case Moment::max:
      return *std::ranges::max_element(y);
    case Moment::mean:
      return std::accumulate(y.begin(), y.end(), 0.0) / double(y.size());
    case Moment::last:
      break;
  }
  return y.back();
}

TableColumn parameter_column(const SweepStatus& s, std::size_t k) {
  const auto value = [k](const CaseStatus& c) { return nlohmann::json::parse(c.values[k]); };
  const std::string& name = s.parameters[k].name;
  if (std::ranges::all_of(s.cases, [&](const CaseStatus& c) { return value(c).is_number(); }))
    return numbers(name, "", s, [&](const CaseStatus& c) { return value(c).get<double>(); });
  return texts(name, s, [&](const CaseStatus& c) { return text_of(c.values[k]); });
}

void require_complete(const SweepStatus& s) {
  if (s.complete()) return;
  std::string states;
  for (int k = 0; k <= int(CaseState::failed); ++k)
    if (const long n = s.count(CaseState(k)); n > 0 && CaseState(k) != CaseState::done)
      states += fmt::format("{}{} {}", states.empty() ? "" : ", ", n, to_string(CaseState(k)));
  const std::string folder = s.folder.string();
  const bool failed = s.count(CaseState::failed) + s.count(CaseState::diverged) > 0;
  throw Error(
      ExitCode::different,
      fmt::format("{}: {} of {} cases are done ({}); `rtsim sweep rerun {}` {}, or take what there "
                  "is with --partial",
                  folder, s.count(CaseState::done), s.cases.size(), states,
                  folder + (failed ? " --failed" : ""),
                  failed ? "resumes what was interrupted and tries again what failed"
                         : "goes on with them"));
}

std::vector<TableColumn> gather(const SweepStatus& s, const GatherOptions& o) {
  if (!o.partial) require_complete(s);
  std::vector<TableColumn> all{texts("case", s, [](const CaseStatus& c) { return c.name; })};
  for (std::size_t k = 0; k < s.parameters.size(); ++k) all.push_back(parameter_column(s, k));
  all.push_back(
      texts("run.state", s, [](const CaseStatus& c) { return std::string(to_string(c.state)); }));
  all.push_back(numbers("run.frames", "", s, [](const CaseStatus& c) { return double(c.frames); }));
  all.push_back(
      numbers("run.wall_time", "s", s, [](const CaseStatus& c) { return c.wall_seconds; }));
  SeriesColumns series(s.cases.size(), o);
  for (std::size_t i = 0; i < s.cases.size(); ++i)
    if (fs::exists(s.cases[i].run / "series.csv")) series.add(i, series_of(s.cases[i].run));
  std::vector<TableColumn> found = series.take();
  if (found.empty() && !o.series.empty() && s.count(CaseState::done) > 0)
    throw Error(ExitCode::bad_input,
                fmt::format("--series: no series of a case fits {}", fmt::join(o.series, ", ")));
  for (TableColumn& c : found) all.push_back(std::move(c));
  return all;
}

}  // namespace rtsim
