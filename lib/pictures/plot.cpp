#include "pictures/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
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
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// "wcsph.water.momentum.x" goes with "wcsph.water.momentum", energies with each other.
struct Group {
  std::string panel, own;
};

bool is_component(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && name.size() == dot + 2 && name[dot + 1] >= 'x' && name[dot + 1] <= 'z';
}

Group group_of(const std::string& name) {
  if (is_component(name)) {
    const std::size_t dot = name.rfind('.');
    return {name.substr(0, dot), name.substr(dot + 1)};
  }
  const std::size_t dot = name.rfind('.');
  const std::string last = dot == name.npos ? name : name.substr(dot + 1);
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
      p.curves.push_back({several ? fmt::format("{}: {}", log.label, g.own) : g.own,
                          log.table.column("time"), log.table.column(name), several ? run : own - 1,
                          several ? own - 1 : 0});
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

}  // namespace

std::vector<Panel> plot_panels(const PlotOptions& o) {
  Panels panels(o);
  for (std::size_t k = 0; k < o.runs.size(); ++k)
    panels.add({o.labels.empty() ? label_of(o.runs[k]) : o.labels[k], series_of(o.runs[k])},
               int(k));
  std::vector<Panel> all = panels.take();
  if (all.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no series {}", o.runs.front().string(),
                            o.series.empty() ? "at all"
                                             : fmt::format("fits {}", fmt::join(o.series, ", "))));
  return all;
}

}  // namespace rtsim
