#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/nearest.h"
#include "param/curve_file.h"
#include "sim/expect/expect.h"
#include "sim/expect/expect_order.h"
#include "sim/expect/expect_profile.h"
#include "sim/expect/expect_value.h"
#include "sim/records/diagnostics.h"
#include "sim/records/snapshot.h"

namespace rtsim {
namespace {

// The columns that series.csv will have, without their rows.
SeriesTable series_names(Simulation& sim) {
  refresh(sim, 0);
  SeriesTable series;
  series.names = {"step", "time"};
  for (const Measurement& m : measure(sim)) series.names.push_back(m.name);
  series.columns.resize(series.names.size());
  return series;
}

// A profile whose object is not there, or no grid, has been told so already.
void require_inside(const World& world, const ExpectSpec& e) {
  const std::string name = e.profile.substr(0, e.profile.find('.'));
  for (const Object& o : world.objects)
    if (o.name == name && o.grid) require_between_cells(e, *o.grid);
}

void require_points(const World& world, const ExpectSpec& e) {
  const auto points = read_curve(e.file.path);
  if (std::ranges::none_of(points, [&](const auto& p) { return in_range(e, p.first); }))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no point of it {}", e.file.path,
                            points.empty() ? "is there" : "lies in \"range\""));
  require_inside(world, e);
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

// Points have rows near a line, the cells of a grid values between them.
void require_form(World& world, const ExpectSpec& e) {
  const Object& object = world.object(column_name(e.profile).object);
  const bool file = !e.file.path.empty();
  if (object.grid && !file)
    throw Error(
        ExitCode::bad_input,
        fmt::format("\"{}\" is of kind {}; give a \"file\" of distances and values, without "
                    "\"width\", \"slices\" and \"line\"",
                    object.name, to_string(object.kind)));
  if (!object.grid && file)
    throw Error(ExitCode::bad_input,
                fmt::format("\"{}\" is of kind {}; give \"width\" and \"line\", without a \"file\"",
                            object.name, to_string(object.kind)));
}

void require_profile(const Scene& scene, World& world, const ExpectSpec& e) {
  require_column(scene, world, e);
  require_form(world, e);
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

}  // namespace

void check_expectations_early(const Scene& scene, Simulation& sim) {
  std::vector<Problem> problems;
  std::optional<SeriesTable> series;
  const auto require_series = [&](const std::string& name) {
    if (!series) series = series_names(sim);
    series->column(name);
  };
  const auto check = [&](const ExpectSpec& e, const std::string& here) {
    if (!e.value.empty())
      collect(problems, here + "value", [&] {
        const Difference d = read_difference(e.value);
        require_series(d.series);
        if (d.minus) require_series(*d.minus);
      });
    if (!e.curve.empty()) collect(problems, here + "curve", [&] { require_series(e.curve); });
    if (!e.profile.empty())
      collect(problems, here + "profile", [&] { require_profile(scene, *sim.world, e); });
    if (!e.file.path.empty())
      collect(problems, here + "file", [&] { require_points(*sim.world, e); });
  };
  for (std::size_t i = 0; i < scene.expect.size(); ++i) {
    const ExpectSpec& e = scene.expect[i];
    const std::string here = fmt::format("/expect/{}/", i);
    check(e, here);
    if (e.order) collect(problems, here + "order/vary", [&] { order_scenes(scene, *e.order); });
  }
  if (!problems.empty()) throw Error(ExitCode::bad_input, scene.source.lines(problems));
}

}  // namespace rtsim
