#include "sim/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/nearest.h"
#include "cache/commits.h"
#include "cache/durable.h"
#include "cache/frame_reader.h"
#include "sim/curve_file.h"
#include "sim/diagnostics.h"
#include "sim/expect_value.h"
#include "sim/snapshot.h"

namespace rtsim {
namespace {

using Json = nlohmann::ordered_json;

struct Pair {
  double expected, measured;
};

double difference(const ExpectSpec& e, const Pair& p) {
  const double d = std::abs(p.measured - p.expected);
  return e.rel ? d / std::abs(p.expected) : d;
}

// The verdict over all places: their norm, with the figures of the worst. Comparisons are written
// so that a NaN is the worst and fails.
ExpectResult verdict(const ExpectSpec& e, const std::string& what,
                     const std::vector<Pair>& places) {
  if (places.empty())
    throw Error(ExitCode::different,
                fmt::format("expectation \"{}\" has nothing to compare", what));
  double worst = -1, squares = 0;
  Pair at{};
  for (const Pair& p : places) {
    const double d = difference(e, p);
    squares += d * d;
    if (!(d <= worst) && !std::isnan(worst)) worst = d, at = p;
  }
  const bool rms = e.norm == ExpectSpec::Norm::rms;
  const double norm = rms ? std::sqrt(squares / double(places.size())) : worst;
  const double tolerance = e.rel ? *e.rel : e.abs.value_or(0);
  return {what,      at.expected,       at.measured,       norm,
          tolerance, e.rel.has_value(), norm <= tolerance, e.source};
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
  std::vector<Pair> places;
  for (const auto& [x, y] : read_curve(e.file.path)) {
    if (!in_range(e, x)) continue;
    places.push_back(
        {e.y_scale * y + e.y_offset, at_time(series, e.curve, e.x_scale * x + e.x_offset)});
  }
  return verdict(e, fmt::format("curve {}, {} norm", e.curve, norm_name(e)), places);
}

// "<object>.<column>" with an optional .x, .y or .z.
struct ColumnName {
  std::string object, column;
  std::optional<int> component{};
};

ColumnName column_name(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos)
    throw Error(ExitCode::bad_input, fmt::format("profile \"{}\": wants <object>.<column>", text));
  ColumnName name{text.substr(0, dot), text.substr(dot + 1)};
  for (int c = 0; c < 3; ++c)
    if (name.column.ends_with(std::string{'.', "xyz"[c]})) {
      name.column.resize(name.column.size() - 2), name.component = c;
      break;
    }
  return name;
}

// The last committed HDF5 frame of the object.
FrameObject last_frame(const std::filesystem::path& run_folder, const std::string& object) {
  const std::vector<CommittedFrame> frames = read_commits(run_folder);
  const std::string folder = fmt::format("cache/{}/", object);
  for (auto f = frames.rbegin(); f != frames.rend(); ++f)
    for (const WrittenFile& w : f->files)
      if (w.path.starts_with(folder) && w.path.ends_with(".hdf")) return read_frame(run_folder, w);
  throw Error(
      ExitCode::bad_input,
      fmt::format("profile of \"{0}\": the run wrote no HDF5 frame of it; add an output of \"{0}\"",
                  object));
}

const FrameColumn& find_column(const FrameObject& object, const std::string& name) {
  const auto found = std::ranges::find(object.columns, name, &FrameColumn::name);
  if (found == object.columns.end())
    throw Error(ExitCode::bad_input,
                fmt::format("frames of \"{}\" have no column \"{}\"", object.name, name));
  return *found;
}

template <class T>
double entry(const FrameColumn& c, std::size_t i) {
  return double(reinterpret_cast<const T*>(c.bytes.data())[i]);
}

double number(const FrameColumn& c, Index row, int component) {
  if (component >= c.type.components) return 0;  // z of a 2D vector
  const std::size_t i = std::size_t(row) * std::size_t(c.type.components) + std::size_t(component);
  switch (c.type.scalar) {
    case Scalar::f32:
      return entry<float>(c, i);
    case Scalar::f64:
      return entry<double>(c, i);
    case Scalar::i32:
      return entry<std::int32_t>(c, i);
    case Scalar::u32:
      return entry<std::uint32_t>(c, i);
    case Scalar::i64:
      return entry<std::int64_t>(c, i);
    case Scalar::u8:
      return entry<std::uint8_t>(c, i);
  }
  return 0;
}

// The expected values stand at equal distances from `from` to `to`, with straight lines between.
double along(const std::vector<double>& line, double s) {
  const double place = s * double(line.size() - 1);
  const std::size_t k = std::min(std::size_t(place), line.size() - 2);
  return line[k] + (place - double(k)) * (line[k + 1] - line[k]);
}

Pair mean(const std::vector<Pair>& slice) {
  Pair sum{0, 0};
  for (const Pair& p : slice) sum.expected += p.expected, sum.measured += p.measured;
  return {sum.expected / double(slice.size()), sum.measured / double(slice.size())};
}

ExpectResult check_profile(const ExpectSpec& e, const std::filesystem::path& run_folder) {
  const ColumnName name = column_name(e.profile);
  const FrameObject object = last_frame(run_folder, name.object);
  const FrameColumn& position = find_column(object, "position");
  const FrameColumn& column = find_column(object, name.column);
  const Vec3d line = e.to - e.from;
  const double length = norm(line);
  if (!(length > 0) || e.line.size() < 2)
    throw Error(ExitCode::bad_input,
                fmt::format("profile {}: wants a line with two ends and two values", e.profile));

  std::vector<Pair> places;
  std::vector<std::vector<Pair>> slices(std::size_t(e.slices));
  for (Index i = 0; i < object.rows; ++i) {
    const Vec3d x{{number(position, i, 0), number(position, i, 1), number(position, i, 2)}};
    const double s = dot(x - e.from, line) / (length * length);
    if (s < 0 || s > 1 || norm(x - e.from - s * line) > e.width) continue;
    if (!in_range(e, s * length)) continue;
    auto& group =
        slices.empty() ? places : slices[std::min(std::size_t(s * e.slices), slices.size() - 1)];
    group.push_back({along(e.line, s), number(column, i, name.component.value_or(0))});
  }
  for (const auto& slice : slices)
    if (!slice.empty()) places.push_back(mean(slice));
  return verdict(e,
                 fmt::format("profile {}, {} norm over {} {}", e.profile, norm_name(e),
                             places.size(), slices.empty() ? "rows" : "slices"),
                 places);
}

// The columns that series.csv will have, without their rows.
SeriesTable series_names(Simulation& sim) {
  refresh(sim, 0);
  SeriesTable series;
  series.names = {"step", "time"};
  for (const Measurement& m : measure(sim)) series.names.push_back(m.name);
  series.columns.resize(series.names.size());
  return series;
}

void require_points(const ExpectSpec& e) {
  const auto points = read_curve(e.file.path);
  if (std::ranges::none_of(points, [&](const auto& p) { return in_range(e, p.first); }))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no point of it {}", e.file.path,
                            points.empty() ? "is there" : "lies in \"range\""));
}

const Output& hdf5_output(const Scene& scene, const std::string& object) {
  std::vector<std::string> written;
  for (const Output& o : scene.output) {
    if (o.format != Format::hdf5) continue;
    if (o.object == object) return o;
    written.push_back(o.object);
  }
  throw Error(ExitCode::bad_input, fmt::format("the run writes no HDF5 frames of \"{0}\"{1}; add "
                                               "an output of \"{0}\" in format \"hdf5\"",
                                               object, did_you_mean(object, written)));
}

void require_column(const Scene& scene, World& world, const ExpectSpec& e) {
  const ColumnName name = column_name(e.profile);
  Output output = hdf5_output(scene, name.object);
  if (!output.columns.empty() && name.column != "position" &&
      std::ranges::count(output.columns, name.column) == 0)
    throw Error(ExitCode::bad_input, fmt::format("the output of \"{}\" leaves out the column "
                                                 "\"{}\"; add it to the output's \"columns\"",
                                                 name.object, name.column));
  output.columns = {name.column};
  check_output_of(world, output);
  if (!world.has_table(name.object)) return;  // samples of a boundary
  const int components = world.table(name.object).column_bytes(name.column).type.components;
  if (name.component.value_or(0) >= components || (components == 1) == name.component.has_value())
    throw Error(ExitCode::bad_input,
                fmt::format("profile \"{}\": \"{}\" has {}", e.profile, name.column,
                            components == 1   ? "no components; name it without"
                            : components == 2 ? "two components; add .x or .y"
                                              : "three components; add .x, .y or .z"));
}

// Runs `work`; what it throws about what it was given becomes a problem at `pointer`.
template <class Work>
void collect(std::vector<Problem>& problems, const std::string& pointer, const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    if (e.code() != ExitCode::bad_input && e.code() != ExitCode::io) throw;
    problems.push_back({pointer, e.what()});
  }
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
                       {"passed", r.passed},
                       {"source", r.source}});
  write_file(run_folder / "expect.json", all.dump(2) + "\n");
}

}  // namespace

void check_expectations_early(const Scene& scene, Simulation& sim) {
  std::vector<Problem> problems;
  std::optional<SeriesTable> series;
  const auto require_series = [&](const std::string& name) {
    if (!series) series = series_names(sim);
    series->column(name);
  };
  for (std::size_t i = 0; i < scene.expect.size(); ++i) {
    const ExpectSpec& e = scene.expect[i];
    const std::string here = fmt::format("/expect/{}/", i);
    if (!e.value.empty()) collect(problems, here + "value", [&] { require_series(e.value); });
    if (!e.curve.empty()) collect(problems, here + "curve", [&] { require_series(e.curve); });
    if (!e.curve.empty()) collect(problems, here + "file", [&] { require_points(e); });
    if (!e.profile.empty())
      collect(problems, here + "profile", [&] { require_column(scene, *sim.world, e); });
  }
  if (!problems.empty()) throw Error(ExitCode::bad_input, scene.source.lines(problems));
}

std::vector<ExpectResult> check_expectations(const Scene& scene,
                                             const std::filesystem::path& run_folder) {
  std::vector<ExpectResult> results;
  for (const ExpectSpec& e : scene.expect) {
    if (!e.profile.empty()) {
      results.push_back(check_profile(e, run_folder));
      continue;
    }
    const SeriesTable series = read_series(run_folder / "series.csv");
    results.push_back(e.curve.empty() ? check_value(e, series) : check_curve(e, series));
  }
  write_results(run_folder, results);
  return results;
}

}  // namespace rtsim
