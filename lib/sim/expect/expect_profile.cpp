#include "sim/expect/expect_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cache/commits.h"
#include "cache/frame_reader.h"
#include "param/curve_file.h"

namespace rtsim {
namespace {

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

Compared mean(const std::vector<Compared>& slice) {
  Compared sum{0, 0};
  for (const Compared& p : slice) sum.expected += p.expected, sum.measured += p.measured;
  return {sum.expected / double(slice.size()), sum.measured / double(slice.size())};
}

// Of the rows near the line.
ProfilePlaces of_rows(const ExpectSpec& e, const FrameObject& object, const FrameColumn& column,
                      int component) {
  const FrameColumn& position = find_column(object, "position");
  const Vec3d line = e.to - e.from;
  const double length = norm(line);
  if (!(length > 0) || e.line.size() < 2)
    throw Error(ExitCode::bad_input,
                fmt::format("profile {}: wants a line with two ends and two values", e.profile));

  std::vector<Compared> places;
  std::vector<std::vector<Compared>> slices(std::size_t(e.slices));
  for (Index i = 0; i < object.rows; ++i) {
    const Vec3d x{{number(position, i, 0), number(position, i, 1), number(position, i, 2)}};
    const double s = dot(x - e.from, line) / (length * length);
    if (s < 0 || s > 1 || norm(x - e.from - s * line) > e.width) continue;
    if (!in_range(e, s * length)) continue;
    auto& group =
        slices.empty() ? places : slices[std::min(std::size_t(s * e.slices), slices.size() - 1)];
    group.push_back({along(e.line, s), number(column, i, component)});
  }
  for (const auto& slice : slices)
    if (!slice.empty()) places.push_back(mean(slice));
  return {std::move(places), slices.empty() ? "rows" : "slices"};
}

// The cells on both sides of a place along an axis, and the share of the upper one.
struct Sides {
  Index lower = 0, upper = 0;
  double share = 0;
};

Sides sides(const GridShape& g, int axis, double x) {
  if (!g.spans[axis]) return {};
  const double last = g.cells[axis] - 1, t = (x - g.low[axis]) / g.spacing - 0.5;
  const double rounding = 1e-6;  // of a place meant to be a centre [cells]
  if (!(t >= -rounding && t <= last + rounding))
    throw Error(ExitCode::bad_input,
                fmt::format("{0} = {1:.6g} m is not between centres of cells, which go from "
                            "{2:.6g} to {3:.6g} m; leave it out with \"range\"",
                            "xyz"[axis], x, g.low[axis] + 0.5 * g.spacing,
                            g.low[axis] + (last + 0.5) * g.spacing));
  const double u = std::clamp(t, 0.0, last);
  const Index lower = Index(u);
  return {lower, std::min(lower + 1, g.cells[axis] - 1), u - lower};
}

// Linear between the centres of the cells around x.
template <class ValueOfRow>
double between_cells(const GridShape& g, const Vec3d& x, const ValueOfRow& value) {
  const Sides at[3] = {sides(g, 0, x[0]), sides(g, 1, x[1]), sides(g, 2, x[2])};
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    Index c[3];
    for (int a = 0; a < 3; ++a) {
      const bool upper = corner >> a & 1;
      weight *= upper ? at[a].share : 1 - at[a].share;
      c[a] = upper ? at[a].upper : at[a].lower;
    }
    if (weight > 0) sum += weight * value(g.row(c[0], c[1], c[2]));
  }
  return sum;
}

// Calls visit(place, value) for every point of the file that counts.
template <class Visit>
void for_points(const ExpectSpec& e, const Visit& visit) {
  const Vec3d along = (1 / norm(e.to - e.from)) * (e.to - e.from);
  for (const auto& [x, y] : read_curve(e.file.path))
    if (in_range(e, x))
      visit(e.from + (e.x_scale * x + e.x_offset) * along, e.y_scale * y + e.y_offset);
}

ProfilePlaces of_cells(const ExpectSpec& e, const FrameObject& object, const FrameColumn& column,
                       int component) {
  const auto value = [&](Index row) { return number(column, row, component); };
  std::vector<Compared> places;
  for_points(e, [&](const Vec3d& x, double expected) {
    places.push_back({expected, between_cells(*object.grid, x, value)});
  });
  return {std::move(places), "points"};
}

}  // namespace

void require_between_cells(const ExpectSpec& e, const GridShape& grid) {
  for_points(e, [&](const Vec3d& x, double) { between_cells(grid, x, [](Index) { return 0.0; }); });
}

ProfilePlaces profile_places(const ExpectSpec& e, const std::filesystem::path& run_folder) {
  const ColumnName name = column_name(e.profile);
  const FrameObject object = last_frame(run_folder, name.object);
  const FrameColumn& column = find_column(object, name.column);
  const int component = name.component.value_or(0);
  return object.grid ? of_cells(e, object, column, component)
                     : of_rows(e, object, column, component);
}

}  // namespace rtsim
