#include "pictures/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/series_table.h"
#include "compare/compare_series.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

struct Log {
  std::string label;
  SeriesTable table;
};

std::string label_of(const fs::path& run) {
  const fs::path folder = fs::is_directory(run) ? run : run.parent_path();
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  // The runs of a sweep all are cases/<name>/run.
  return (named.filename() == "run" ? named.parent_path() : named).filename().string();
}

// Read first: a run that is not there has no name either.
Log read_log(const PlotOptions& o, std::size_t k) {
  SeriesTable table = series_of(o.runs[k]);
  return {o.labels.empty() ? label_of(o.runs[k]) : o.labels[k], std::move(table)};
}

// "wcsph.water.momentum.x" goes with "wcsph.water.momentum", energies with each other.
struct Group {
  std::string panel, own;
};

bool is_component(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && name.size() == dot + 2 && name[dot + 1] >= 'x' && name[dot + 1] <= 'z';
}

std::string last_of(const std::string& name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1: all of it
}

Group group_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string last = last_of(name);
  if (is_component(name)) return {name.substr(0, dot), last};
  if (last.ends_with("energy") && dot != name.npos)
    return {name.substr(0, dot) + " energies", last};
  return {name, last};
}

std::vector<std::string> chosen(const Log& log, const std::vector<std::string>& patterns) {
  if (!patterns.empty()) return measured(log.table, patterns);
  const auto totals = measured(log.table, {"total.*"});
  return totals.empty() ? measured(log.table, {}) : totals;
}

class Panels {
 public:
  explicit Panels(const PlotOptions& o) : o_(o) {}

  void add(const Log& log, int run) {
    for (const std::string& name : chosen(log, o_.series)) {
      const Group g = group_of(name);
      const std::string unit = log.table.unit(name);
      Panel& p = panel(g.panel, unit);
      const bool several = o_.runs.size() > 1;
      int& own = number_[g.panel + unit + g.own];
      if (own == 0) own = ++count_[g.panel + unit];
      p.curves.push_back({several ? log.label : "", g.own, log.table.column("time"),
                          log.table.column(name), several ? run : own - 1, several ? own - 1 : 0});
    }
  }

  std::vector<Panel> take() { return std::move(panels_); }

 private:
  Panel& panel(const std::string& title, const std::string& unit) {
    const std::string y = unit.empty() ? "" : "[" + unit + "]";
    for (Panel& p : panels_)
      if (p.title == title && p.y_label == y) return p;
    panels_.push_back({title, "time [s]", y, {}, o_.logarithmic});
    return panels_.back();
  }

  const PlotOptions& o_;
  std::vector<Panel> panels_;
  std::map<std::string, int> number_, count_;
};

// With the names that there are.
std::string no_series(const PlotOptions& o) {
  const std::string run = o.runs.front().string();
  if (o.series.empty()) return run + ": no series at all";
  std::vector<std::string> names = measured(series_of(o.runs.front()), {});
  std::string near;
  for (const std::string& asked : o.series) near += did_you_mean(asked, names);
  constexpr std::size_t most = 8;
  const char* more = names.size() > most ? ", ..." : "";
  names.resize(std::min(names.size(), most));
  return fmt::format(
      "{}: no series fits {}{}", run, fmt::join(o.series, ", "),
      near.empty() ? fmt::format("; it has {}{}", fmt::join(names, ", "), more) : near);
}

}  // namespace

std::vector<Panel> plot_panels(const PlotOptions& o) {
  Panels panels(o);
  for (std::size_t k = 0; k < o.runs.size(); ++k) panels.add(read_log(o, k), int(k));
  std::vector<Panel> all = panels.take();
  if (all.empty()) throw Error(ExitCode::bad_input, no_series(o));
  return all;
}

}  // namespace rtsim
