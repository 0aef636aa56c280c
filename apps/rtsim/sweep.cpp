#include "sweep/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cache/durable.h"
#include "commands.h"
#include "panels.h"
#include "pictures/canvas.h"
#include "sim/catalog.h"
#include "sweep/gather.h"
#include "sweep/launch.h"
#include "sweep/sweep_folder.h"
#include "sweep/sweep_plot.h"
#include "units.h"

namespace rtsim {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

// Columns as wide as their widest cell.
void print_rows(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (widths.size() <= k) widths.push_back(0);
      widths[k] = std::max(widths[k], row[k].size());
    }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += fmt::format("{:{}}  ", row[k], k + 1 < row.size() ? widths[k] : 0);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

ordered_json values_json(const std::vector<SweepParameter>& parameters,
                         const std::vector<std::string>& values) {
  ordered_json j = ordered_json::object();
  for (std::size_t k = 0; k < values.size(); ++k)
    j[parameters[k].name] = ordered_json::parse(values[k]);
  return j;
}

void list_cases(const Sweep& sweep, const std::vector<CaseScene>& scenes, bool json) {
  if (json) {
    ordered_json cases = ordered_json::array();
    for (std::size_t i = 0; i < scenes.size(); ++i)
      cases.push_back({{"name", sweep.cases[i].name},
                       {"parameters", values_json(sweep.parameters, sweep.cases[i].values)},
                       {"frames", scenes[i].frames},
                       {"steps", scenes[i].steps},
                       {"bytes", scenes[i].bytes}});
    return fmt::print("{}\n", cases.dump(2));
  }
  Rows rows{{"case"}};
  for (const SweepParameter& p : sweep.parameters) rows[0].push_back(p.name);
  rows[0].insert(rows[0].end(), {"steps", "memory"});
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(sweep.cases[i].name);
    row.insert(row.end(), sweep.cases[i].values.begin(), sweep.cases[i].values.end());
    row.push_back(std::to_string(scenes[i].steps));
    row.push_back(bytes_text(scenes[i].bytes));
  }
  print_rows(rows);
  fmt::print("{} cases\n", scenes.size());
}

LaunchOptions options_of(const SweepFlags& f) {
  LaunchOptions o;
  o.device = f.device, o.jobs = f.jobs, o.threads = f.threads;
  o.allow_different_build = f.allow_different_build, o.quiet = f.quiet;
  if (!f.time.empty()) o.time_limit = parse_duration(f.time);
  o.sbatch = f.sbatch;
  return o;
}

std::string counts(const SweepStatus& s) {
  std::string text;
  for (int k = 0; k <= int(CaseState::failed); ++k)
    if (const long n = s.count(CaseState(k)); n > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, to_string(CaseState(k)));
  return fmt::format("{} cases: {}", s.cases.size(), text);
}

ExitCode execute(const SweepFolder& folder, const SweepFlags& f, std::vector<SweepJob> jobs) {
  const LaunchOptions o = options_of(f);
  if (f.executor == "commands") {
    const auto file = write_commands(folder.path(), jobs, o);
    fmt::print("{}: {} commands\n", file.string(), jobs.size());
    return ExitCode::done;
  }
  if (f.executor == "openjd") {
    const auto file = write_openjd(folder.path(), jobs, o);
    if (file.empty())
      fmt::print("no case is left to do\n");
    else
      fmt::print("{}: {} tasks\n", file.string(), jobs.size());
    return ExitCode::done;
  }
  if (f.executor == "slurm") {
    const long tasks = submit_to_slurm(folder.path(), jobs, o);
    fmt::print("{} cases submitted; `rtsim sweep status {}` says how they are\n", tasks,
               folder.path().string());
    return ExitCode::done;
  }
  const ExitCode code = run_local(folder.path(), std::move(jobs), o);
  const SweepStatus s = sweep_status(folder.path());
  if (!f.quiet) fmt::print("{}\n", counts(s));
  if (code == ExitCode::interrupted) {
    fmt::print(stderr, "rtsim: interrupted after checkpoints; the same command goes on\n");
    return code;
  }
  return s.complete() ? ExitCode::done : ExitCode::different;
}

// What failed stays: the same would happen again.
void say_failed(const SweepStatus& s) {
  const long failed = s.count(CaseState::failed) + s.count(CaseState::diverged);
  if (failed > 0)
    fmt::print(stderr,
               "{} cases failed before and are left alone; `rtsim sweep rerun {} --failed` "
               "tries them again\n",
               failed, s.folder.string());
}

ordered_json status_json(const SweepStatus& s) {
  ordered_json cases = ordered_json::array(), parameters = ordered_json::array(), count;
  for (const SweepParameter& p : s.parameters)
    parameters.push_back({{"name", p.name}, {"set", p.pointers}});
  for (const CaseStatus& c : s.cases)
    cases.push_back({{"name", c.name},
                     {"parameters", values_json(s.parameters, c.values)},
                     {"state", to_string(c.state)},
                     {"message", c.message},
                     {"warnings", c.warnings},
                     {"run", c.run.string()},
                     {"frames", c.frames},
                     {"frame_count", c.frame_count},
                     {"steps", c.steps},
                     {"wall_seconds", c.wall_seconds},
                     {"restarts", c.restarts},
                     {"host", c.host}});
  for (int k = 0; k <= int(CaseState::failed); ++k)
    count[std::string(to_string(CaseState(k)))] = s.count(CaseState(k));
  return {{"sweep_file", s.sweep_file},
          {"scene_file", s.scene_file},
          {"parameters", parameters},
          {"count", count},
          {"note", s.note},
          {"cases", cases}};
}

// Why it failed, or else what it was warned of.
std::string remark(const CaseStatus& c) {
  if (c.message.empty() && !c.warnings.empty()) return "warning: " + c.warnings.front();
  return c.message.substr(0, c.message.find('\n'));
}

void print_status(const SweepStatus& s) {
  Rows rows{{"case", "state", "frames", "time", "message"}};
  for (const CaseStatus& c : s.cases)
    rows.push_back({c.name, std::string(to_string(c.state)),
                    fmt::format("{}/{}", c.frames, c.frame_count),
                    c.wall_seconds > 0 ? duration_text(c.wall_seconds) : "", remark(c)});
  print_rows(rows);
  fmt::print("{}\n", counts(s));
  if (!s.note.empty()) fmt::print(stderr, "note: {}\n", s.note);
}

void print_table_json(const std::vector<TableColumn>& columns) {
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < columns.front().rows(); ++i) {
    ordered_json& row = rows.emplace_back();
    for (const TableColumn& c : columns) {
      if (!c.texts.empty())
        row[c.name] = c.texts[i];
      else
        row[c.name] = c.numbers[i];  // NaN becomes null
    }
  }
  fmt::print("{}\n", rows.dump(2));
}

}  // namespace

ExitCode sweep_command(const SweepFlags& f) {
  if (f.sweep.empty()) throw Error(ExitCode::usage, "which sweep file? See `rtsim sweep --help`");
  if (f.folder.empty() && !f.dry_run)
    throw Error(ExitCode::usage, "-o DIR says where the cases go, --dry-run only lists them");
  const Sweep sweep = read_sweep(f.sweep);
  const std::vector<CaseScene> scenes = case_scenes(sweep, stage_catalog());
  if (f.dry_run) {
    list_cases(sweep, scenes, f.json);
    return ExitCode::done;
  }
  const SweepFolder folder(f.folder, sweep, scenes);
  const SweepStatus s = sweep_status(folder.path());
  say_failed(s);
  return execute(folder, f, jobs_of(s, false));
}

ExitCode sweep_rerun_command(const SweepFlags& f) {
  const SweepFolder folder(f.folder);
  const SweepStatus s = sweep_status(folder.path());
  std::vector<SweepJob> jobs = jobs_of(s, f.failed);
  for (const std::string& name : f.cases)
    if (std::ranges::find(s.cases, name, &CaseStatus::name) == s.cases.end())
      throw Error(ExitCode::usage, fmt::format("the sweep has no case \"{}\"", name));
  if (!f.cases.empty())
    std::erase_if(jobs, [&](const SweepJob& job) {
      return std::ranges::find(f.cases, job.name) == f.cases.end();
    });
  if (!f.failed) say_failed(s);
  return execute(folder, f, std::move(jobs));
}

ExitCode sweep_status_command(const SweepFlags& f) {
  const SweepStatus s = sweep_status(f.folder);
  if (f.json)
    fmt::print("{}\n", status_json(s).dump(2, ' ', false, ordered_json::error_handler_t::replace));
  else
    print_status(s);
  return ExitCode::done;
}

ExitCode sweep_gather_command(const SweepFlags& f) {
  GatherOptions o;
  o.series = f.series, o.partial = f.partial;
  for (const std::string& name : f.moments) o.moments.push_back(read_moment_name(name));
  if (!f.out.empty()) check_table_name(f.out);
  const std::vector<TableColumn> table = gather(sweep_status(f.folder), o);
  if (!f.out.empty()) {
    make_folders(std::filesystem::path(f.out).parent_path());
    write_table(f.out, table);
  }
  if (f.json)
    print_table_json(table);
  else if (f.out.empty())
    fmt::print("{}", table_csv(table));
  else
    fmt::print("{}: {} cases, {} columns\n", f.out, table.front().rows(), table.size());
  return ExitCode::done;
}

ExitCode sweep_plot_command(const SweepFlags& f) {
  check_picture_name(f.out);
  SweepPlotOptions o;
  o.series = f.series, o.over = f.over, o.partial = f.partial;
  o.logarithmic = f.logarithmic, o.logarithmic_x = f.logarithmic_x;
  if (!f.moments.empty()) o.moment = read_moment_name(f.moments.front());
  draw_panels({f.out, f.width, f.height, f.json}, sweep_panels(sweep_status(f.folder), o));
  return ExitCode::done;
}

}  // namespace rtsim
