#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cache/durable.h"
#include "cache/well_file.h"
#include "convert/columns.h"
#include "convert/dataset.h"
#include "convert/in_order.h"

namespace rtsim {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const FrameObject& object_of(const ConversionPlan& plan) { return plan.first.begin()->second; }

std::vector<int> axes_of(const FrameObject& o) {
  std::vector<int> axes;
  for (int a = 0; a < 3; ++a)
    if (o.grid->spans[a]) axes.push_back(a);
  return axes;
}

// Components of a column that make a field: a vector of the grid's axes, or one number.
struct Source {
  std::string column;
  std::vector<int> components;
};

// A column as fields: numbers, vectors of as many components as the grid has axes, of height fields
// those along it; of others each component by itself.
void add_fields(const FrameColumn& c, const std::vector<int>& axes, std::vector<WellField>& fields,
                std::vector<Source>& sources) {
  const int n = c.type.components, D = int(axes.size());
  if (n == 1) {
    fields.push_back({c.name, 0}), sources.push_back({c.name, {0}});
  } else if (n == 3 || n == D) {
    std::vector<int> along = axes;
    if (n == D)
      for (int k = 0; k < D; ++k) along[std::size_t(k)] = k;
    fields.push_back({c.name, 1}), sources.push_back({c.name, along});
  } else {
    for (int k = 0; k < n; ++k)
      fields.push_back({fmt::format("{}_{}", c.name, k), 0}), sources.push_back({c.name, {k}});
  }
}

// Ours have z outermost; theirs x.
std::vector<float> values_of(const FrameObject& o, const std::vector<int>& axes, const Source& s) {
  const FrameColumn& c = *column_named(o, s.column);
  Index n[3] = {1, 1, 1};
  for (const int a : axes) n[a] = o.grid->cells[a];
  std::vector<float> out;
  out.reserve(std::size_t(o.rows) * s.components.size());
  for (Index x = 0; x < n[0]; ++x)
    for (Index y = 0; y < n[1]; ++y)
      for (Index z = 0; z < n[2]; ++z)
        for (const int k : s.components)
          out.push_back(float(value<double>(c, std::size_t(x + n[0] * (y + n[1] * z)), k)));
  return out;
}

std::string side_type(const std::string& kind) {
  for (const char* wall : {"no_slip", "free_slip", "wall", "slip", "reflecting"})
    if (kind == wall) return "WALL";
  return kind == "periodic" ? "PERIODIC" : "OPEN";
}

// What the stage that moves the grid says of its sides: "sides": { "x_low": { "kind" }} or "x_min":
// { "type" }. Where it says nothing they are walls.
std::vector<WellSide> sides_of(const ConversionPlan& plan, const FrameObject& o) {
  json own;
  const json scene = json::parse(read_file(plan.run / "scene.resolved.json"), nullptr, false);
  for (const json& stage : scene.value("stages", json::array())) {
    const bool named = std::ranges::any_of(stage, [&](const json& v) { return v == o.name; });
    if (own.is_null() && named && (stage.contains("sides") || stage.contains("x_min"))) own = stage;
  }
  std::vector<WellSide> sides;
  const std::vector<int> axes = axes_of(o);
  for (std::size_t k = 0; k < axes.size(); ++k)
    for (const bool high : {false, true}) {
      const std::string axis(1, "xyz"[axes[k]]);
      std::string kind = "wall";
      if (own.is_object() && own.contains("sides"))
        kind = own["sides"]
                   .value(axis + (high ? "_high" : "_low"), json::object())
                   .value("kind", kind);
      else if (own.is_object())
        kind = own.value(axis + (high ? "_max" : "_min"), json::object()).value("type", kind);
      sides.push_back({int(k), high, side_type(kind)});
    }
  return sides;
}

void write_trajectory(const Dataset& d, const ConversionPlan& plan, const DatasetRun& run,
                      const fs::path& file) {
  const FrameObject& first = object_of(plan);
  const std::vector<int> axes = axes_of(first);
  WellInfo info;
  info.dataset = d.name, info.parameters = run.parameters, info.sides = sides_of(plan, first);
  for (const int a : axes) {
    info.axes.emplace_back(1, "xyz"[a]);
    std::vector<float>& centres = info.centres.emplace_back();
    for (Index i = 0; i < first.grid->cells[a]; ++i)
      centres.push_back(float(first.grid->low[a] + (double(i) + 0.5) * first.grid->spacing));
  }
  for (const CommittedFrame& f : plan.frames) info.times.push_back(float(f.time));
  std::vector<Source> sources;
  for (const FrameColumn& c : first.columns)
    if (is_real(c) && is_chosen(first, c.name, plan.columns))
      add_fields(c, axes, info.fields, sources);
  const std::size_t fields = sources.size();
  WellFile to(file, std::move(info));
  using Fields = std::vector<Chunk>;
  in_order<Fields>(
      plan.frames.size(), plan.jobs,
      [&](std::size_t k) {
        const FrameObject o = read_chosen(plan.run, plan.frames[k].files[0], plan.columns);
        Fields values;
        for (const Source& s : sources) values.push_back(compress_numbers(values_of(o, axes, s)));
        return values;
      },
      [&](std::size_t k, Fields values) {
        for (std::size_t f = 0; f < fields; ++f) to.write(f, k, values[f]);
      });
  to.finish();
}

}  // namespace

void check_well(const ConversionPlan& plan) {
  if (plan.first.size() != 1)
    throw Error(ExitCode::bad_input,
                fmt::format("{} has frames of {} grids; The Well has one in a file: choose it by "
                            "--objects",
                            plan.run.string(), plan.first.size()));
  const FrameObject& o = object_of(plan);
  if (std::ranges::none_of(o.columns, [&](const FrameColumn& c) {
        return is_real(c) && is_chosen(o, c.name, plan.columns);
      }))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: '{}' has no column of real numbers", plan.run.string(), o.name));
  for (std::size_t k = 2; k < plan.frames.size(); ++k) {
    const double first = plan.frames[1].time - plan.frames[0].time;
    const double here = plan.frames[k].time - plan.frames[k - 1].time;
    if (std::abs(here - first) > 1e-6 * first)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: frame {} comes {} s after the one before, others {} s: The Well "
                              "wants a constant interval",
                              plan.run.string(), plan.frames[k].frame, here, first));
  }
}

std::vector<std::string> write_well(const Dataset& d, const std::vector<ConversionPlan>& plans,
                                    const std::vector<int>& splits) {
  std::vector<std::string> files;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const std::string file = fmt::format("data/{}/{}.hdf5", split_names[splits[k]], d.runs[k].name);
    make_folders((d.out / file).parent_path());
    write_durably(d.out / file, [&](const fs::path& temporary) {
      write_trajectory(d, plans[k], d.runs[k], temporary);
    });
    files.push_back(file);
  }
  return files;
}

}  // namespace rtsim
