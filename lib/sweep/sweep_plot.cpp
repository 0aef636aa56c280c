#include "sweep/sweep_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/nearest.h"
#include "pictures/plot.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

std::size_t place_of(const SweepStatus& s, const std::string& name) {
  std::vector<std::string> names;
  for (const SweepParameter& p : s.parameters) names.push_back(p.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return std::size_t(found - names.begin());
  throw Error(ExitCode::usage,
              fmt::format("the sweep has no parameter \"{}\"{}", name, did_you_mean(name, names)));
}

// "mode=fast, spacing=0.1" of all parameters but the one.
std::string others(const SweepStatus& s, const CaseStatus& c, std::size_t but) {
  std::string text;
  for (std::size_t k = 0; k < c.values.size(); ++k)
    if (k != but)
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", s.parameters[k].name, c.values[k]);
  return text;
}

// Points in the order of x; where a parameter was drawn, the others never repeat and all points are
// one curve.
std::vector<Curve> curves_over(const SweepStatus& s, std::size_t over, const TableColumn& x,
                               const TableColumn& y) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < s.cases.size(); ++i)
    if (y.numbers[i] == y.numbers[i]) groups[others(s, s.cases[i], over)].push_back(i);
  const bool drawn = groups.size() == s.cases.size() && groups.size() > 1;
  if (drawn) {
    std::vector<std::size_t> all;
    for (const auto& [label, rows] : groups) all.insert(all.end(), rows.begin(), rows.end());
    groups = {{"", all}};
  }
  std::vector<Curve> curves;
  for (auto& [label, rows] : groups) {
    std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return x.numbers[i]; });
    Curve c;
    c.of = label, c.colour = int(curves.size());
    c.marked = true, c.joined = !drawn;
    for (const std::size_t i : rows) c.x.push_back(x.numbers[i]), c.y.push_back(y.numbers[i]);
    curves.push_back(std::move(c));
  }
  return curves;
}

std::vector<Panel> panels_over(const SweepStatus& s, const SweepPlotOptions& o) {
  const std::size_t over = place_of(s, o.over);
  const TableColumn x = parameter_column(s, over);
  if (!x.texts.empty())
    throw Error(ExitCode::usage,
                fmt::format("--over {}: its values are no numbers; a table of them comes from "
                            "`rtsim sweep gather`",
                            o.over));
  std::vector<Panel> panels;
  for (const TableColumn& y : gather(s, {o.series, {o.moment}, true})) {
    if (y.name.find(':') == y.name.npos) continue;
    Panel p{y.name, o.over,        y.unit.empty() ? "" : "[" + y.unit + "]",
            {},     o.logarithmic, o.logarithmic_x};
    p.curves = curves_over(s, over, x, y);
    panels.push_back(std::move(p));
  }
  return panels;
}

std::vector<Panel> panels_of_curves(const SweepStatus& s, const SweepPlotOptions& o) {
  PlotOptions plot{{}, o.series, o.logarithmic, {}};
  for (const CaseStatus& c : s.cases)
    if (fs::exists(c.run / "series.csv")) {
      plot.runs.push_back(c.run);
      plot.labels.push_back(c.name);
    }
  return plot.runs.empty() ? std::vector<Panel>{} : plot_panels(plot);
}

}  // namespace

std::vector<Panel> sweep_panels(const SweepStatus& s, const SweepPlotOptions& o) {
  if (!o.partial) require_complete(s);
  std::vector<Panel> panels = o.over.empty() ? panels_of_curves(s, o) : panels_over(s, o);
  if (panels.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no case has a series that fits", s.folder.string()));
  return panels;
}

}  // namespace rtsim
