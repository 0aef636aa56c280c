#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cache/no_run.h"
#include "compare/compare_frames.h"
#include "compare/compare_series.h"

namespace rtsim {

namespace fs = std::filesystem;

namespace {

bool has_frames(const fs::path& run) { return fs::exists(run / "frames.jsonl"); }
bool has_series(const fs::path& run) {
  return !fs::is_directory(run) || fs::exists(run / "series.csv");
}

void check_run(const fs::path& run) {
  if (!fs::exists(run) || (!has_series(run) && !has_frames(run)))
    throw no_run(run, "neither series.csv nor frames.jsonl");
}

// Whoever asks for a name that is nowhere has misspelt it.
void check_patterns(const CompareOptions& o, const Comparison& c) {
  const auto check = [&](const char* flag, const std::vector<std::string>& patterns,
                         const std::vector<Compared>& found) {
    for (const std::string& p : patterns)
      if (std::ranges::none_of(found, [&](const Compared& x) { return fits({p}, x.name); }))
        throw Error(ExitCode::bad_input,
                    fmt::format("{} {}: {} and {} have nothing of that name in common", flag, p,
                                o.a.string(), o.b.string()));
  };
  check("--columns", o.columns, c.columns);
  check("--series", o.series, c.series);
  if (c.series.empty() && c.columns.empty() && c.faults.empty())
    throw Error(ExitCode::bad_input, o.a.string() + ": nothing in it to compare");
}

}  // namespace

Comparison compare_runs(const CompareOptions& o) try {
  check_run(o.a), check_run(o.b);
  Comparison c;
  if (o.compare_series && has_series(o.a)) compare_series(series_of(o.a), series_of(o.b), o, c);
  if (o.compare_frames && has_frames(o.a)) {
    if (has_frames(o.b))
      compare_frames(o, c);
    else
      c.faults.push_back("B has no frames");
  }
  check_patterns(o, c);
  return c;
} catch (const fs::filesystem_error& e) {
  throw Error(ExitCode::io, e.what());
}

}  // namespace rtsim
