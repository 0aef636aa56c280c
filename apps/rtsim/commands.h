#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

// One function a subcommand, each in the file of its name; main.cpp fills the flags.
namespace rtsim {

struct RunFlags {
  std::string scene;  // run: the scene; resume: the run folder
  std::string folder;
  std::vector<std::string> set;
  std::string device = "auto";
  int threads = 0;
  std::string resume;  // "", "yes", "auto"
  std::string time_limit;
  bool overwrite = false, profile = false, expect = false, quiet = false,
       allow_different_build = false, allow_damage = false, ignore_free_space = false;
  std::vector<std::string> command_line;
};
ExitCode run_command(const RunFlags&);
ExitCode resume_command(const RunFlags&);
ExitCode branch_command(const RunFlags&);
ExitCode foam_command(const RunFlags&, const std::string& liquid);

struct CheckFlags {
  std::vector<std::string> scenes, set;
  bool json = false;
};
ExitCode check_command(const CheckFlags&);

struct ExplainFlags {
  std::string scene;
  std::vector<std::string> set;
  bool json = false;
};
ExitCode explain_command(const ExplainFlags&);

ExitCode list_command(bool json);
ExitCode describe_command(const std::string& type, bool json);
ExitCode schema_command(bool of_sweeps);
ExitCode manual_command();

ExitCode info_command(const std::filesystem::path& run_folder, bool json);
ExitCode verify_command(const std::filesystem::path& run_folder, bool json);
ExitCode wait_command(const std::filesystem::path& folder);

struct NewFlags {
  std::string name, like;
  bool list = false, json = false;
};
ExitCode new_command(const NewFlags&);

struct ConvertFlags {
  std::string run, out;
  std::vector<std::string> to, objects, columns, set;
  std::string frames;
  std::vector<double> split;         // of datasets: shares of train, valid, test
  std::optional<std::int64_t> seed;  // likewise
  int jobs = 0;                      // 0: one per processor
  bool overwrite = false, json = false;
};
ExitCode convert_command(const ConvertFlags&);

struct CompareFlags {
  std::string a, b;
  double rtol = 0, atol = 0;
  std::vector<std::string> tol, series, columns;
  std::string frames;
  std::string only;  // "", "series", "frames"
  std::optional<double> band;
  std::optional<double> outside;
  std::optional<double> warp;  // [s]
  bool update = false, json = false;
  std::string why;
  int jobs = 0;  // 0: one per processor
};
ExitCode compare_command(const CompareFlags&);

struct PlotFlags {
  std::vector<std::string> runs, series;
  std::string out;
  bool logarithmic = false, json = false;
  int width = 0, height = 0;  // [pixels]; 0: as the panels need
};
ExitCode plot_command(const PlotFlags&);

struct RenderFlags {
  std::string run, out, frames, colour, vectors, from = "corner";
  std::vector<std::string> objects;
  std::optional<double> low, high;
  double zoom = 1, fps = 0;  // 0: as fast as it happens
  int width = 960, height = 720, sheet = 0;
  bool json = false;
};
ExitCode render_command(const RenderFlags&);

struct SweepFlags {
  std::string sweep, folder;  // the sweep file; the folder of its cases
  std::string executor = "local", device = "auto", time, out, over;
  std::vector<std::string> sbatch, cases, series, moments;
  int jobs = 0, threads = 0;  // 0: as the executor thinks best
  int width = 0, height = 0;  // [pixels] of a plot
  bool dry_run = false, failed = false, partial = false, json = false, quiet = false,
       allow_different_build = false, logarithmic = false, logarithmic_x = false;
};
ExitCode sweep_command(const SweepFlags&);
ExitCode sweep_status_command(const SweepFlags&);
ExitCode sweep_rerun_command(const SweepFlags&);
ExitCode sweep_gather_command(const SweepFlags&);
ExitCode sweep_plot_command(const SweepFlags&);

struct ReportFlags {
  std::string run, out, colour, from = "corner", every;
  int pictures = 6;
  bool json = false;
};
ExitCode report_command(const ReportFlags&);

struct BenchFlags {
  std::vector<std::string> cases;  // "wcsph", "wcsph/100k", or a file; empty: all of configs/bench
  std::vector<int> threads;        // empty: 1 and all
  int steps = 0;                   // 0: as the case says
  std::string device = "cpu";
  std::string file;  // the JSON also goes here
  bool json = false;
};
ExitCode bench_command(const BenchFlags&);

std::string version_text();

// To stderr, behind "rtsim: " unless the text begins with file:line:column, where editors look.
void print_error(const Error&);

}  // namespace rtsim
