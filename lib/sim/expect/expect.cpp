#include "sim/expect/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "cache/durable.h"
#include "param/curve_file.h"
#include "sim/expect/expect_order.h"
#include "sim/expect/expect_profile.h"
#include "sim/expect/expect_value.h"

namespace rtsim {
namespace {

using Json = nlohmann::ordered_json;

double difference(const ExpectSpec& e, const Compared& p) {
  const double d = std::abs(p.measured - p.expected);
  return e.rel ? d / std::abs(p.expected) : d;
}

// The verdict over all places: their norm, with the figures of the worst. Comparisons are written
// so that a NaN is the worst and fails.
ExpectResult verdict(const ExpectSpec& e, const std::string& what,
                     const std::vector<Compared>& places) {
  if (places.empty())
    throw Error(ExitCode::different,
                fmt::format("expectation \"{}\" has nothing to compare", what));
  double worst = -1, squares = 0;
  Compared at{};
  for (const Compared& p : places) {
    const double d = difference(e, p);
    squares += d * d;
    if (!(d <= worst) && !std::isnan(worst)) worst = d, at = p;
  }
  const bool rms = e.norm == ExpectSpec::Norm::rms;
  const double norm = rms ? std::sqrt(squares / double(places.size())) : worst;
  const double tolerance = e.rel ? *e.rel : e.abs.value_or(0);
  return {.what = what,
          .expected = at.expected,
          .measured = at.measured,
          .difference = norm,
          .tolerance = tolerance,
          .relative = e.rel.has_value(),
          .passed = norm <= tolerance,
          .source = e.source};
}

const char* norm_name(const ExpectSpec& e) {
  return e.norm == ExpectSpec::Norm::rms ? "rms" : "max";
}

ExpectResult check_value(const ExpectSpec& e, const SeriesTable& series) {
  return verdict(e, fmt::format("value {}, {}", e.value, e.at),
                 {{e.equals.value_or(0), value_at(e, series)}});
}

ExpectResult check_curve(const ExpectSpec& e, const SeriesTable& series) {
  series.column(e.curve);  // an unknown name is said even where no point is in range
  std::vector<Compared> places;
  for (const auto& [x, y] : read_curve(e.file.path)) {
    if (!in_range(e, x)) continue;
    places.push_back(
        {e.y_scale * y + e.y_offset, at_time(series, e.curve, e.x_scale * x + e.x_offset)});
  }
  return verdict(e, fmt::format("curve {}, {} norm", e.curve, norm_name(e)), places);
}

ExpectResult check_profile(const ExpectSpec& e, const std::filesystem::path& run_folder) {
  const ProfilePlaces found = profile_places(e, run_folder);
  return verdict(e,
                 fmt::format("profile {}, {} norm over {} {}", e.profile, norm_name(e),
                             found.places.size(), found.are),
                 found.places);
}

ExpectResult check_one(const ExpectSpec& e, const std::filesystem::path& run_folder) {
  if (!e.profile.empty()) return check_profile(e, run_folder);
  const SeriesTable series = read_series(run_folder / "series.csv");
  return e.curve.empty() ? check_value(e, series) : check_curve(e, series);
}

ExpectResult check_order(const ExpectSpec& e, const std::vector<std::filesystem::path>& sub_runs) {
  std::vector<double> errors;
  std::string what;
  for (const auto& folder : sub_runs) {
    ExpectResult r = check_one(e, folder);
    errors.push_back(r.difference), what = std::move(r.what);
  }
  const double order = observed_order(e.order->vary.at(0).values, errors);
  return {.what = fmt::format("order of {} over {}, errors {:.3g}", what, e.order->vary[0].pointer,
                              fmt::join(errors, ", ")),
          .expected = e.order->min,
          .measured = order,
          .difference = e.order->min - order,
          .tolerance = 0,
          .relative = false,
          .at_least = true,
          .passed = order >= e.order->min,
          .source = e.source};
}

void write_results(const std::filesystem::path& run_folder,
                   const std::vector<ExpectResult>& results) {
  Json all = Json::array();
  for (const ExpectResult& r : results)
    all.push_back(Json{{"what", r.what},
                       {"expected", r.expected},
                       {"measured", r.measured},
                       {"difference", r.difference},
                       {"tolerance", r.tolerance},
                       {"relative", r.relative},
                       {"at_least", r.at_least},
                       {"passed", r.passed},
                       {"source", r.source}});
  write_file(run_folder / "expect.json", all.dump(2) + "\n");
}

}  // namespace

std::vector<ExpectResult> check_expectations(const Scene& scene,
                                             const std::filesystem::path& run_folder) {
  std::vector<ExpectResult> results;
  for (std::size_t i = 0; i < scene.expect.size(); ++i) {
    const ExpectSpec& e = scene.expect[i];
    results.push_back(e.order ? check_order(e, order_folders(*e.order, i, run_folder))
                              : check_one(e, run_folder));
  }
  write_results(run_folder, results);
  return results;
}

}  // namespace rtsim
