#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "cache/no_run.h"
#include "compare/compare_series.h"
#include "pictures/plot.h"
#include "pictures/render.h"
#include "report/boundaries.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/report.h"
#include "sim/records/event_log.h"
#include "sim/records/family.h"
#include "sim/records/manifest.h"
#include "sim/records/run_state.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string significant(double x) { return fmt::format("{:.6g}", x); }
HtmlCell number(double x) { return {significant(x), "number"}; }

// A file that may be missing; what is there must be whole.
json read_json_file(const fs::path& file) {
  if (!fs::exists(file)) return nullptr;
  json j = json::parse(read_file(file), nullptr, false);
  if (j.is_discarded()) throw Error(ExitCode::io, file.string() + ": it is no JSON any more");
  return j;
}

std::string outcome(const Manifest& m, const std::vector<CommittedFrame>& frames) {
  std::string text = m.status;
  if (m.exit_code >= 0) text += fmt::format(", exit code {}", m.exit_code);
  if (!frames.empty())
    text += fmt::format("; {} frames to t = {} s, step {}", frames.size(),
                        significant(frames.back().time), frames.back().step);
  std::string out = fmt::format("<p class=\"{}\">{}</p>\n",
                                m.status == "done"                ? "good"
                                : m.status.starts_with("running") ? ""
                                                                  : "bad",
                                escaped(text));
  if (!m.message.empty()) out += fmt::format("<p class=\"bad\">{}</p>\n", escaped(m.message));
  return out;
}

std::string warnings(const fs::path& run) {
  std::vector<HtmlRow> rows;
  for (const LoggedWarning& w : read_warnings(run)) rows.push_back({{w.message, "bad"}});
  return html_table({}, rows);
}

std::string expectations(const fs::path& run) {
  const json all = read_json_file(run / "expect.json");
  std::vector<HtmlRow> rows;
  if (all.is_array())
    for (const json& e : all) {
      const bool passed = e.at("passed").get<bool>();
      const bool relative = e.at("relative").get<bool>();
      const auto value = [&](const char* key) {
        return e.at(key).is_number() ? number(e.at(key).get<double>()) : HtmlCell{"", "number"};
      };
      HtmlCell allowed = value("tolerance");
      allowed.text =
          e.value("at_least", false) ? "at least" : allowed.text + (relative ? " rel" : " abs");
      rows.push_back({{passed ? "holds" : "fails", passed ? "good" : "bad"},
                      {e.at("what").get<std::string>()},
                      value("expected"),
                      value("measured"),
                      value("difference"),
                      allowed,
                      {e.at("source").get<std::string>()}});
    }
  return html_table({"", "expectation", "expected", "measured", "difference", "allowed", "source"},
                    rows);
}

// Frames from the first to the last, evenly.
std::vector<CommittedFrame> spread(const std::vector<CommittedFrame>& all, int count) {
  std::vector<CommittedFrame> some;
  const std::size_t n = std::min(all.size(), std::size_t(std::max(count, 0)));
  for (std::size_t k = 0; k < n; ++k)
    some.push_back(all[n == 1 ? all.size() - 1 : k * (all.size() - 1) / (n - 1)]);
  return some;
}

std::string pictures(const ReportOptions& o, const std::vector<CommittedFrame>& frames) try {
  std::vector<CommittedFrame> drawn = frames;
  std::erase_if(drawn,
                [](const CommittedFrame& c) { return std::ranges::none_of(c.files, is_hdf5); });
  drawn = spread(drawn, o.pictures);
  if (drawn.empty()) return "";
  RenderOptions r;
  r.run = o.run, r.colour = o.colour, r.camera.from = o.from;
  r.boundaries = boundaries_of(o.run);
  r.width = 480, r.height = 360;
  const Renderer renderer(r, drawn);
  std::string figures;
  for (const CommittedFrame& c : renderer.frames())
    figures += html_figure(renderer.picture(c, o.threads),
                           fmt::format("frame {}, t = {} s", c.frame, significant(c.time)));
  return html_figures(figures);
} catch (const NothingToSee&) {
  return "";  // an emitter that has not begun
}

std::string curves(const fs::path& run) {
  if (!fs::exists(run / "series.csv")) return "";
  const SeriesTable table = series_of(run);
  if (table.rows() < 2 || measured(table, {}).empty()) return "";
  PlotOptions o;
  o.runs = {run}, o.series = {"*"};
  return html_chart(plot_panels(o));
}

std::string series(const fs::path& run) {
  if (!fs::exists(run / "series.csv")) return "";
  const SeriesTable t = series_of(run);
  if (t.rows() == 0) return "";
  std::vector<HtmlRow> rows;
  for (const std::string& name : measured(t, {})) {
    const std::vector<double>& y = t.column(name);
    const auto [least, most] = std::ranges::minmax_element(y);
    rows.push_back({{name},
                    {t.unit(name)},
                    number(y.front()),
                    number(y.back()),
                    number(*least),
                    number(*most)});
  }
  return html_table({"series", "unit", "first", "last", "least", "greatest"}, rows);
}

std::string timings(const fs::path& run, const Manifest& m) {
  std::vector<HtmlRow> rows = {{{"wall clock [s]"}, number(m.wall_seconds)},
                               {{"steps"}, number(double(m.steps))}};
  if (m.wall_seconds > 0)
    rows.push_back({{"steps a second"}, number(double(m.steps) / m.wall_seconds)});
  std::string out = html_table({}, rows);
  const json profile = read_json_file(run / "profile.json");
  if (!profile.is_object()) return out;
  const double wall = profile.value("wall_seconds", 0.0);
  std::vector<std::pair<double, HtmlRow>> labels;
  for (const json& l : profile.at("labels")) {
    const double seconds = l.at("seconds").get<double>();
    labels.push_back({seconds,
                      {{l.at("label").get<std::string>()},
                       number(l.at("launches").get<double>()),
                       number(seconds),
                       {fmt::format("{:.1f} %", wall > 0 ? 100 * seconds / wall : 0), "number"}}});
  }
  std::ranges::stable_sort(labels, std::greater<>(), &std::pair<double, HtmlRow>::first);
  rows.clear();
  for (auto& [seconds, row] : labels) rows.push_back(std::move(row));
  return out + html_table({"profile", "launches", "seconds", "share"}, rows);
}

std::string provenance(const Manifest& m) {
  std::vector<HtmlRow> rows = {
      {{"scene"}, {m.scene_file}},
      {{"identity"}, {m.identity}},
      {{"command"}, {fmt::format("{}", fmt::join(m.command_line, " "))}},
      {{"folder"}, {m.working_folder}},
      {{"started"}, {fmt::format("{} by {} on {}", m.started, m.user, m.host)}},
      {{"ended"}, {m.ended}},
      {{"device"}, {fmt::format("{}, {} threads", m.device, m.threads)}},
      {{"seed"}, {fmt::format("{}", m.seed)}},
      {{"build"}, {fmt::format("{} {}", m.build.version, m.build.commit)}},
      {{"compiler"}, {fmt::format("{}, {}", m.build.compiler, m.build.precision)}},
      {{"flags"}, {m.build.flags}}};
  for (const Manifest::Restart& r : m.restarts)
    rows.push_back({{"resumed"},
                    {fmt::format("{} on {} from step {} by {} {}", r.when, r.host, r.step,
                                 r.build.version, r.build.commit)}});
  for (const auto& [path, xxh3] : m.assets)
    rows.push_back({{"asset"}, {fmt::format("{} (XXH3 {})", path, xxh3)}});
  return html_table({}, rows);
}

std::string family(const fs::path& run, const Manifest& m) {
  std::vector<HtmlRow> rows;
  const auto add = [&](const char* what, const Relative& r) {
    rows.push_back({{what}, {r.folder}, {fmt::format("frame {}, step {}", r.frame, r.step)}});
  };
  for (const Relative& r : ancestors(m)) add(rows.empty() ? "branch of" : "before", r);
  for (const Relative& r : branches_beside(run)) add("has the branch", r);
  std::string out = html_table({}, rows);
  if (!m.parent || m.parent->differences.empty()) return out;
  rows.clear();
  for (const Manifest::Difference& d : m.parent->differences)
    rows.push_back({{d.pointer}, {d.was, "number"}, {d.is, "number"}});
  return out + html_table({"other than in its parent", "there", "here"}, rows);
}

std::string scene(const fs::path& run) {
  const fs::path file = run / "scene.resolved.json";
  if (!fs::exists(file)) return "";
  return fmt::format(
      "<details><summary>as it ran, with every default</summary><pre>{}</pre></details>\n",
      escaped(read_file(file)));
}

}  // namespace

std::string run_report(const ReportOptions& o) try {
  if (!has_manifest(o.run)) throw no_run(o.run);
  const Manifest m = manifest_now(o.run);
  const std::vector<CommittedFrame> frames = read_commits(o.run);
  const std::string title = fs::path(m.scene_file).filename().string();
  return html_page(
      title + ": rtsim",
      fmt::format("<h1>{}</h1>\n", escaped(title)) + outcome(m, frames) +
          html_section("Warnings", warnings(o.run)) +
          html_section("Expectations", expectations(o.run)) +
          html_section("Pictures", pictures(o, frames)) + html_section("Curves", curves(o.run)) +
          html_section("Series", series(o.run)) + html_section("Timings", timings(o.run, m)) +
          html_section("Family", family(o.run, m)) + html_section("Provenance", provenance(m)) +
          html_section("Scene", scene(o.run)),
      o.renew);
} catch (const json::exception& e) {
  throw Error(ExitCode::io,
              fmt::format("{}: a file of it is damaged: {}", o.run.string(), e.what()));
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
