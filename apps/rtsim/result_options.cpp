#include "result_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ranges>

#include "convert/formats.h"

namespace rtsim {

namespace {

// CLI11's own say between which 300 digits a number must lie.
CLI::Validator number_from_zero(bool with_zero) {
  const char* wants = with_zero ? "0 or more" : "above 0";
  return {[=](const std::string& text) {
            double x = 0;
            const bool fits =
                CLI::detail::lexical_cast(text, x) && (x > 0 || (with_zero && x == 0));
            return fits ? std::string() : fmt::format("wants a number {}, not {}", wants, text);
          },
          with_zero ? "NONNEGATIVE" : "POSITIVE"};
}

}  // namespace

void add_set(CLI::App& c, std::vector<std::string>& set, const char* doc) {
  c.add_option("--set", set, doc)->allow_extra_args(false)->type_name("POINTER=VALUE");
}

void add_size(CLI::App& c, int& width, int& height) {
  const auto size = [&](const char* name, int& into) {
    c.add_option(name, into, "Of the picture; as its panels need unless given")
        ->type_name("PIXELS")
        ->check(CLI::Range(64, 20000));
  };
  size("--width", width), size("--height", height);
}

namespace {

std::string formats_text() {
  std::string text = "Formats:\n";
  for (const FormatInfo& f : conversion_formats())
    text += fmt::format(
        "  {:<10} {}\n  {:<10} for {}; {}\n", f.name, f.summary, "",
        fmt::join(f.kinds | std::views::transform([](const auto& kind) { return to_string(kind); }),
                  ", "),
        f.files);
  return text;
}

}  // namespace

void add_convert(CLI::App& app, ConvertFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("convert", "HDF5 frames of a run into other formats");
  c.add_option("RUN", f.run, "The run folder, finished or still running; of datasets also a sweep")
      ->required()
      ->type_name("DIR");
  c.add_option("-o,--output", f.out,
               "A new folder, laid out as a run's; where this conversion was cut off it goes on")
      ->required()
      ->type_name("OUT");
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* doc) {
    return c.add_option(name, into, doc)->delimiter(',')->allow_extra_args(false);
  };
  list("--to", f.to, "One of the formats below; of surfaces also several")
      ->required()
      ->type_name("FORMAT,...");
  list("--objects", f.objects, "Which; all that the format can hold unless given")
      ->type_name("NAME,...");
  list("--columns", f.columns, "Which, beside positions and ids; all unless given")
      ->type_name("NAME,...");
  c.add_option("--frames", f.frames,
               "One, or from A up to but not B in steps of C; all unless given")
      ->type_name("A|A:B|A:B:C");
  add_set(c, f.set, "A parameter of volumes or surfaces, as /smoothing=0.5; may be repeated");
  c.add_option("--split", f.split,
               "Of a dataset of a sweep: the shares of train, valid and test; 0.8,0.1,0.1 unless "
               "given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,C");
  c.add_option("--seed", f.seed,
               "Of a dataset of a sweep: decides which case goes where; 0 unless given")
      ->type_name("N");
  c.add_option("-j,--jobs", f.jobs, "Frames at once; one per processor unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  c.add_flag("--overwrite", f.overwrite, "Replace the conversion that is in the folder");
  c.add_flag("--json", f.json, "For scripts");
  c.footer(formats_text());
  c.callback([&] { action = [&] { return convert_command(f); }; });
}

void add_compare(CLI::App& app, CompareFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand(
      "compare", "Logs and frames of two runs, by name; 5 if they lie too far apart");
  c.add_option("A", f.a, "The baseline: a run folder, or a series.csv")
      ->required()
      ->type_name("RUN");
  c.add_option("B", f.b, "The run held against it")->required()->type_name("RUN");
  const auto number = [&](const char* name, auto& into, const char* doc, const char* type) {
    return c.add_option(name, into, doc)->type_name(type)->check(number_from_zero(true));
  };
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* doc) {
    return c.add_option(name, into, doc)->delimiter(',')->allow_extra_args(false);
  };
  number("--rtol", f.rtol, "Relative tolerance of everything; 0 unless given", "X");
  number("--atol", f.atol, "Absolute tolerance of everything, in its unit; 0 unless given", "X");
  c.add_option("--tol", f.tol,
               "Tolerance of some names; may be repeated, the last that fits counts")
      ->allow_extra_args(false)
      ->type_name("PATTERN=rel:X,abs:Y");
  list("--series", f.series, "Series to compare, as wcsph.*.mass; all unless given")
      ->type_name("PATTERN,...");
  list("--columns", f.columns, "Columns to compare, as water.velocity; all unless given")
      ->type_name("PATTERN,...");
  c.add_option("--frames", f.frames, "Frames of A to compare; all unless given")
      ->type_name("A|A:B|A:B:C");
  c.add_option("--only", f.only, "series, or frames")
      ->check(CLI::IsMember({"series", "frames"}))
      ->type_name("WHAT");
  number("--band", f.band,
         "For chaotic runs: A is a folder of three runs or more, B may lie this many standard "
         "deviations from their mean",
         "K");
  c.add_option("--outside", f.outside,
               "Share of rows that may lie outside of the band; 0.01 unless given")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 1.0));
  number("--warp", f.warp,
         "For events that come early or late: match rows up to this many seconds apart, by dynamic "
         "time warping of each series",
         "SECONDS");
  c.add_flag("--update", f.update, "Put B in place of A, and a record of it into A/baseline.jsonl");
  c.add_option("--why", f.why, "The reason, for the record")->type_name("TEXT");
  c.add_option("-j,--jobs", f.jobs, "Frames at once; one per processor unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  c.add_flag("--json", f.json, "For scripts");
  c.callback([&] { action = [&] { return compare_command(f); }; });
}

void add_plot(CLI::App& app, PlotFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("plot", "Curves of the series of one or more runs");
  c.add_option("RUN", f.runs, "Run folders, or their series.csv; a colour for each of several")
      ->required()
      ->type_name("RUN");
  c.add_option("-o,--output", f.out, "An .svg or .png file")->required()->type_name("FILE");
  c.add_option("--series", f.series, "Which, as total.*energy; the totals unless given")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("PATTERN,...");
  c.add_flag("--log", f.logarithmic, "Logarithmic; what is not above 0 is left out");
  add_size(c, f.width, f.height);
  c.add_flag("--json", f.json, "For scripts");
  c.callback([&] { action = [&] { return plot_command(f); }; });
}

void add_render(CLI::App& app, RenderFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand("render", "Pictures and films of a run's HDF5 frames");
  c.add_option("RUN", f.run, "The run folder, finished or still running")
      ->required()
      ->type_name("DIR");
  c.add_option(
       "-o,--output", f.out,
       "A .png of the last frame, an .mp4 of all (needs ffmpeg), or a folder for a picture of "
       "each")
      ->required()
      ->type_name("FILE");
  c.add_option("--frames", f.frames, "Which; all unless given")->type_name("A|A:B|A:B:C");
  c.add_option("--sheet", f.sheet,
               "So many frames, from the first to the last, side by side in one .png")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  c.add_option("--objects", f.objects,
               "Which; all unless given, boundaries as the shapes that they are")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  c.add_option("--colour", f.colour, "A column that colours what has it, as density or velocity.y")
      ->type_name("COLUMN");
  c.add_option("--low", f.low, "What the darkest colour means; the least unless given");
  c.add_option("--high", f.high, "What the brightest colour means; the greatest unless given");
  c.add_option("--vectors", f.vectors, "A column to draw as arrows, as velocity")
      ->type_name("COLUMN");
  c.add_option("--from", f.from, "front, side, top or corner, which is the default")
      ->type_name("SIDE")
      ->check(CLI::IsMember({"front", "side", "top", "corner"}));
  c.add_option("--zoom", f.zoom, "1: all fits")->check(number_from_zero(false));
  c.add_option("--fps", f.fps, "Of a film; as fast as it happens unless given")
      ->check(number_from_zero(false));
  const auto size = [&](const char* name, int& into, const char* doc) {
    c.add_option(name, into, doc)->type_name("PIXELS")->check(CLI::Range(64, 16384));
  };
  size("--width", f.width, "Of a picture; 960 unless given");
  size("--height", f.height, "Of a picture; 720 unless given");
  c.add_flag("--json", f.json, "For scripts");
  c.callback([&] { action = [&] { return render_command(f); }; });
}

void add_report(CLI::App& app, ReportFlags& f, Action& action) {
  CLI::App& c = *app.add_subcommand(
      "report",
      "One HTML page of a run or a sweep: how it ended, pictures, curves, timings, origin");
  c.add_option("RUN", f.run, "The folder of a run or a sweep, finished or still running")
      ->required()
      ->type_name("DIR");
  c.add_option("-o,--output", f.out, "An .html file; it needs nothing beside it")
      ->required()
      ->type_name("FILE");
  c.add_option("--pictures", f.pictures,
               "So many frames, from the first to the last, or cases of a sweep; 6 unless given")
      ->type_name("N")
      ->check(CLI::Range(0, 100));
  c.add_option("--colour", f.colour, "A column that colours what has it, as density or velocity.y")
      ->type_name("COLUMN");
  c.add_option("--from", f.from, "front, side, top or corner, which is the default")
      ->type_name("SIDE")
      ->check(CLI::IsMember({"front", "side", "top", "corner"}));
  c.add_option("--every", f.every,
               "Write it anew so often while the run goes on; the page in a browser follows")
      ->type_name("10s|5min");
  c.add_flag("--json", f.json, "For scripts");
  c.callback([&] { action = [&] { return report_command(f); }; });
}

}  // namespace rtsim
