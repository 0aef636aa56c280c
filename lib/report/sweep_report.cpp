#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "pictures/render.h"
#include "report/boundaries.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/report.h"
#include "sweep/gather.h"
#include "sweep/status.h"
#include "sweep/sweep_plot.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

constexpr CaseState all_states[] = {CaseState::done,        CaseState::running, CaseState::queued,
                                    CaseState::waiting,     CaseState::lost,    CaseState::diverged,
                                    CaseState::interrupted, CaseState::failed};

std::string outcome(const SweepStatus& s) {
  std::string text = fmt::format("{} cases", s.cases.size());
  for (const CaseState state : all_states)
    if (s.count(state) > 0) text += fmt::format(", {} {}", s.count(state), to_string(state));
  std::string out =
      fmt::format("<p class=\"{}\">{}</p>\n", s.complete() ? "good" : "bad", escaped(text));
  if (!s.note.empty()) out += fmt::format("<p class=\"bad\">{}</p>\n", escaped(s.note));
  return out;
}

std::string failures(const SweepStatus& s) {
  std::vector<HtmlRow> rows;
  for (const CaseStatus& c : s.cases)
    if (!c.message.empty()) rows.push_back({{c.name}, {c.message, "bad"}});
  return html_table({}, rows);
}

std::string warnings(const SweepStatus& s) {
  std::vector<HtmlRow> rows;
  for (const CaseStatus& c : s.cases)
    for (const std::string& w : c.warnings) rows.push_back({{c.name}, {w, "bad"}});
  return html_table({}, rows);
}

// Parameters and the last value of each series, as `rtsim sweep gather` has them.
std::string table(const SweepStatus& s) {
  const std::vector<TableColumn> columns =
      gather(s, {.series = {}, .moments = {Moment::last}, .partial = true});
  std::vector<std::string> head;
  std::vector<HtmlRow> rows(s.cases.size());
  for (const TableColumn& c : columns) {
    head.push_back(c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit));
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!c.texts.empty())
        rows[i].push_back({c.texts[i]});
      else
        rows[i].push_back(
            {std::isnan(c.numbers[i]) ? "" : fmt::format("{:.6g}", c.numbers[i]), "number"});
  }
  return html_table(head, rows);
}

std::string curves(const SweepStatus& s) try {
  return html_chart(sweep_panels(s, {.series = {},
                                     .over = {},
                                     .moment = Moment::last,
                                     .logarithmic = false,
                                     .logarithmic_x = false,
                                     .partial = true}));
} catch (const Error& e) {
  if (e.code() != ExitCode::bad_input) throw;
  return "";  // no case has begun
}

// The last frame of some cases, in the same colours.
std::string pictures(const ReportOptions& o, const SweepStatus& s) {
  std::vector<std::pair<std::string, Renderer>> drawn;
  for (const CaseStatus& c : s.cases) {
    std::vector<CommittedFrame> frames = read_commits(c.run);
    std::erase_if(frames,
                  [](const CommittedFrame& f) { return std::ranges::none_of(f.files, is_hdf5); });
    if (frames.empty() || int(drawn.size()) >= o.pictures) continue;
    RenderOptions r;
    r.run = c.run, r.colour = o.colour, r.camera.from = o.from;
    r.boundaries = boundaries_of(c.run);
    r.width = 360, r.height = 270;
    try {
      drawn.emplace_back(c.name, Renderer(r, {frames.back()}));
    } catch (const NothingToSee&) {  // an emitter that has not begun
    }
  }
  double low = 1e300, high = -1e300;
  for (const auto& [name, r] : drawn) low = std::min(low, r.low()), high = std::max(high, r.high());
  std::string figures;
  for (auto& [name, r] : drawn) {
    r.widen_colours(low, high);
    figures += html_figure(r.picture(r.frames().back(), o.threads), name);
  }
  return html_figures(figures);
}

std::string timings(const SweepStatus& s) {
  std::vector<HtmlRow> rows;
  double seconds = 0;
  for (const CaseStatus& c : s.cases) {
    seconds += c.wall_seconds;
    rows.push_back({{c.name},
                    {fmt::format("{:.6g}", c.wall_seconds), "number"},
                    {fmt::format("{}", c.steps), "number"},
                    {fmt::format("{}", c.restarts), "number"},
                    {c.host},
                    {c.device}});
  }
  rows.push_back({{"all"}, {fmt::format("{:.6g}", seconds), "number"}});
  return html_table({"case", "seconds", "steps", "restarts", "host", "device"}, rows);
}

std::string provenance(const SweepStatus& s) {
  std::vector<HtmlRow> rows = {{{"sweep"}, {s.sweep_file}},
                               {{"scene"}, {s.scene_file}},
                               {{"folder"}, {fs::absolute(s.folder).lexically_normal().string()}}};
  for (const SweepParameter& p : s.parameters)
    rows.push_back({{p.name}, {fmt::format("{}", fmt::join(p.pointers, ", "))}});
  return html_table({}, rows);
}

}  // namespace

std::string sweep_report(const ReportOptions& o) try {
  const SweepStatus s = sweep_status(o.run);
  const std::string title = fs::path(s.sweep_file).filename().string();
  return html_page(title + ": rtsim",
                   fmt::format("<h1>{}</h1>\n", escaped(title)) + outcome(s) +
                       html_section("Failures", failures(s)) +
                       html_section("Warnings", warnings(s)) + html_section("Cases", table(s)) +
                       html_section("Pictures", pictures(o, s)) +
                       html_section("Curves", curves(s)) + html_section("Timings", timings(s)) +
                       html_section("Provenance", provenance(s)),
                   o.renew);
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
