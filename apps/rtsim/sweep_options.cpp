#include <CLI/CLI.hpp>

#include "result_options.h"

namespace rtsim {
namespace {

// How cases run, of `sweep` and `sweep rerun`.
void add_executor(CLI::App& c, SweepFlags& f) {
  c.add_option("--executor", f.executor,
               "local: here; slurm: arrays through sbatch; commands: write one command a line; "
               "openjd: write a job template")
      ->type_name("NAME")
      ->check(CLI::IsMember({"local", "slurm", "commands", "openjd"}));
  c.add_option("-j,--jobs", f.jobs, "Cases at once; one per processor where memory allows it")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  c.add_option("--threads", f.threads, "Threads of a case; the processors divided among them")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  c.add_option("--device", f.device, "Where cases run: auto (the CPU), cpu, cuda, or cuda:N")
      ->type_name("NAME");
  c.add_flag("--allow-different-build", f.allow_different_build,
             "Resume what another build or device began");
  c.add_option("--time", f.time, "Slurm's limit for a case; estimated unless given")
      ->type_name("10min|1h30m");
  c.add_option("--sbatch", f.sbatch, "An option of sbatch, as --sbatch=--partition=long")
      ->allow_extra_args(false)
      ->type_name("OPTION");
  c.add_flag("--quiet", f.quiet, "No progress");
}

CLI::App& command(CLI::App& sweep, const char* name, const char* doc, SweepFlags& f) {
  CLI::App& c = *sweep.add_subcommand(name, doc);
  c.add_option("DIR", f.folder, "The folder of the sweep")->required()->type_name("DIR");
  return c;
}

void add_series(CLI::App& c, SweepFlags& f) {
  c.add_option("--series", f.series, "Which, as total.*; all totals unless given, else all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN,...");
  c.add_flag("--partial", f.partial, "What there is, though cases are not done");
}

void add_readers(CLI::App& sweep, SweepFlags& f, Action& action) {
  CLI::App& s = command(sweep, "status", "How far every case is", f);
  s.add_flag("--json", f.json, "For scripts");
  s.callback([&] { action = [&] { return sweep_status_command(f); }; });

  CLI::App& g =
      command(sweep, "gather",
              "One table: parameters and figures of the series; 5 if a case is not done", f);
  add_series(g, f);
  g.add_option("--values", f.moments, "last, min, max, mean; all unless given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  g.add_option("-o,--output", f.out, "A .csv or .h5 file; to standard output unless given")
      ->type_name("FILE");
  g.add_flag("--json", f.json, "To standard output as JSON, a row an object");
  g.callback([&] { action = [&] { return sweep_gather_command(f); }; });
}

void add_plotter(CLI::App& sweep, SweepFlags& f, Action& action) {
  CLI::App& p = command(sweep, "plot", "Curves of all cases, or a figure over a parameter", f);
  p.add_option("-o,--output", f.out, "An .svg or .png file")->required()->type_name("FILE");
  add_series(p, f);
  p.add_option("--over", f.over, "The parameter along the axis; curves over time unless given")
      ->type_name("NAME");
  p.add_option("--value", f.moments, "last, min, max or mean; last unless given")
      ->type_name("NAME")
      ->expected(1);
  p.add_flag("--log", f.logarithmic, "Logarithmic values");
  p.add_flag("--log-over", f.logarithmic_x, "Logarithmic parameter");
  add_size(p, f.width, f.height);
  p.add_flag("--json", f.json, "For scripts");
  p.callback([&] { action = [&] { return sweep_plot_command(f); }; });
}

}  // namespace

void add_sweep(CLI::App& app, SweepFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("sweep", "Run a scene with many sets of parameters");
  c.require_subcommand(0, 1);
  c.add_option("SWEEP", f.sweep, "The sweep file")->type_name("FILE");
  c.add_option("-o,--output", f.folder, "Folder of the sweep; again there: what is left")
      ->type_name("DIR");
  c.add_flag("--dry-run", f.dry_run, "List the cases, and write nothing");
  c.add_flag("--json", f.json, "The list as JSON");
  add_executor(c, f);
  c.callback([&c, &f, &action] {
    if (c.get_subcommands().empty()) action = [&f] { return sweep_command(f); };
  });

  CLI::App& r = command(c, "rerun", "Go on with a sweep as it is, without its file", f);
  r.add_flag("--failed", f.failed, "Also what failed; what diverged, from its start");
  r.add_option("--cases", f.cases, "Only these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  add_executor(r, f);
  r.callback([&] { action = [&] { return sweep_rerun_command(f); }; });
  add_readers(c, f, action);
  add_plotter(c, f, action);
}

}  // namespace rtsim
