#include "convert/moving_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/error.h"
#include "cache/frame_reader.h"
#include "convert/columns.h"
#include "convert/in_order.h"
#include "convert/sequence_formats.h"

namespace rtsim {

namespace {

bool is_shuffled(const FrameObject& o) {
  return (o.kind == Kind::particles || o.kind == Kind::boundary) && column_named(o, "id");
}

std::vector<std::size_t> order_of(const FrameObject& o) {
  std::vector<std::size_t> order(static_cast<std::size_t>(o.rows));
  std::iota(order.begin(), order.end(), 0);
  if (!is_shuffled(o)) return order;
  const FrameColumn& id = *column_named(o, "id");
  std::ranges::sort(order, {}, [&](std::size_t row) { return value<std::int64_t>(id, row, 0); });
  return order;
}

std::vector<std::int64_t> ids(const FrameObject& o) {
  std::vector<std::int64_t> all;
  if (!is_shuffled(o)) return all;
  const FrameColumn& id = *column_named(o, "id");
  for (const std::size_t row : order_of(o)) all.push_back(value<std::int64_t>(id, row, 0));
  return all;
}

// What changed between two frames of one object; empty if nothing.
std::string change(const FrameObject& a, const FrameObject& b) {
  if (a.rows != b.rows) return fmt::format("has {} rows, it had {}", b.rows, a.rows);
  if (ids(a) != ids(b)) return "has other particles than";
  if (a.cells.points != b.cells.points) return "is joined otherwise (torn) than";
  if (a.surface.triangles != b.surface.triangles || a.surface.body != b.surface.body)
    return "has bodies of other shapes than";
  return "";
}

}  // namespace

std::vector<float> moving_points(const FrameObject& o) {
  std::vector<float> points;
  if (o.kind == Kind::bodies) {
    points.assign(o.surface.points.begin(), o.surface.points.end());
    return points;
  }
  const std::vector<double> x = places(o);
  points.reserve(x.size());
  for (const std::size_t row : order_of(o))
    for (std::size_t a = 0; a < 3; ++a) points.push_back(float(x[3 * row + a]));
  return points;
}

std::string moving_points_of(const std::filesystem::path& run, const WrittenFile& file) {
  const std::vector<float> points = moving_points(read_frame(run, file));
  return {reinterpret_cast<const char*>(points.data()), points.size() * sizeof(float)};
}

void check_constant(const ConversionPlan& plan) {
  const auto only_id = [](const FrameObject&, const std::string& column) { return column == "id"; };
  const auto check = [&](std::size_t k) {
    for (const WrittenFile& f : plan.frames[k].files) {
      const std::string name = object_of(f);
      const std::string what = change(plan.first.at(name), read_frame(plan.run, f, only_id));
      if (!what.empty())
        throw Error(ExitCode::bad_input,
                    fmt::format("'{}' in frame {} {} in the first one, which this format cannot "
                                "hold: choose --frames or --objects, or --to vtk, points or npz",
                                name, plan.frames[k].frame, what));
    }
    return 0;
  };
  in_order<int>(plan.frames.size(), plan.jobs, check, [](std::size_t, int) {});
}

}  // namespace rtsim
