#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "compare/baseline.h"
#include "exec/exec.h"
#include "sim/records/manifest.h"

namespace rtsim {
namespace {

using nlohmann::ordered_json;

CompareOptions options_of(const CompareFlags& f) {
  CompareOptions o;
  o.a = f.a, o.b = f.b;
  o.tolerances = Tolerances({f.atol, f.rtol});
  for (const std::string& rule : f.tol) o.tolerances.add(rule);
  o.series = f.series, o.columns = f.columns;
  o.compare_series = f.only != "frames", o.compare_frames = f.only != "series";
  if (!f.frames.empty()) o.frames = parse_frame_range(f.frames);
  o.jobs = f.jobs > 0 ? f.jobs : Exec::cpu().threads();
  return o;
}

void check_flags(const CompareFlags& f) {
  const auto refuse = [](const char* what) {
    throw Error(ExitCode::usage, std::string(what) + "; see `rtsim compare --help`");
  };
  if (f.update && f.why.empty()) refuse("--update wants --why TEXT: what made the results change");
  if (!f.update && !f.why.empty()) refuse("--why is for --update");
  if (f.update && f.band) refuse("--update replaces a single run; not with --band");
  if (f.update && f.warp) refuse("--update replaces what is equal row by row; not with --warp");
  if (f.band && f.warp) refuse("--band and --warp exclude one another");
  if ((f.band || f.warp) && (f.only == "frames" || !f.frames.empty() || !f.columns.empty()))
    refuse("--band and --warp compare series alone");
  if (!f.band && f.outside) refuse("--outside is for --band");
}

// With as many digits as it takes to tell them apart: 9 for most, 17 at most.
std::string pair_text(const Difference& d) {
  const double apart = std::abs(d.a - d.b), size = std::max(std::abs(d.a), std::abs(d.b));
  const auto text = [](double x, int digits) { return fmt::format("{:.{}g}", x, digits); };
  int digits = 9;
  while (digits < 17 && text(d.a, digits) == text(d.b, digits)) ++digits;
  return fmt::format("{}: {} and {}, {:.3g} apart ({:.2g} of the larger)", d.where,
                     text(d.a, digits), text(d.b, digits), apart, apart / size);
}

void print_one(const Compared& c, const char* what) {
  fmt::print("{}{}: {} of {} {} differ\n", c.name, c.unit.empty() ? "" : " [" + c.unit + "]",
             c.different, c.values, what);
  fmt::print("  first  {}\n", pair_text(*c.first));
  if (c.worst->where != c.first->where) fmt::print("  worst  {}\n", pair_text(*c.worst));
}

void print_all(const std::vector<Compared>& list, const char* what) {
  for (const Compared& c : list)
    if (c.different > 0) print_one(c, what);
}

long differing(const std::vector<Compared>& list) {
  return std::ranges::count_if(list, [](const Compared& c) { return c.different > 0; });
}

void print_text(const Comparison& c) {
  for (const std::string& f : c.faults) fmt::print("{}\n", f);
  print_all(c.series, "rows");
  print_all(c.columns, "numbers");
  for (const std::string& n : c.notes) fmt::print("note: {}\n", n);
  fmt::print("{} series", c.series.size());
  if (c.frames > 0)
    fmt::print(", {} frames with {} columns{}", c.frames, c.columns.size(),
               c.same_files > 0 ? fmt::format(", {} files alike to the byte", c.same_files) : "");
  const long n = differing(c.series) + differing(c.columns);
  fmt::print(": {}\n", c.equal()
                           ? "no difference"
                           : fmt::format("{} names differ, {} other faults", n, c.faults.size()));
}

ordered_json to_json(const std::optional<Difference>& d) {
  if (!d) return nullptr;
  return {{"where", d->where}, {"a", d->a}, {"b", d->b}};
}

ordered_json to_json(const std::vector<Compared>& list) {
  ordered_json j = ordered_json::array();
  for (const Compared& c : list)
    j.push_back({{"name", c.name},
                 {"unit", c.unit},
                 {"values", c.values},
                 {"different", c.different},
                 {"first", to_json(c.first)},
                 {"worst", to_json(c.worst)}});
  return j;
}

void print_json(const Comparison& c) {
  const ordered_json j = {{"equal", c.equal()},
                          {"series", to_json(c.series)},
                          {"columns", to_json(c.columns)},
                          {"frames", c.frames},
                          {"files_alike_to_the_byte", c.same_files},
                          {"faults", c.faults},
                          {"notes", c.notes}};
  fmt::print("{}\n", j.dump(2));
}

}  // namespace

ExitCode compare_command(const CompareFlags& f) {
  check_flags(f);
  const CompareOptions o = options_of(f);
  const bool first_baseline = f.update && !std::filesystem::exists(o.a);
  Comparison c;
  if (!first_baseline)
    c = f.band   ? compare_with_band(o, {*f.band, f.outside.value_or(Band{}.outside)})
        : f.warp ? compare_with_warp(o, *f.warp)
                 : compare_runs(o);
  if (first_baseline) c.notes.push_back("there was no baseline");
  f.json ? print_json(c) : print_text(c);
  if (!f.update) return c.equal() ? ExitCode::done : ExitCode::different;
  update_baseline(o, c, f.why, utc_now(), user_name());
  fmt::print(stderr, "{} is now the baseline {}\n", f.b, f.a);
  return ExitCode::done;
}

}  // namespace rtsim
