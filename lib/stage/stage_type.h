#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "param/describe.h"
#include "stage/stage.h"

namespace rtsim {

// Makes the stage that goes by a name in the scene: tables of its own start with that name.
using StageMaker = std::function<std::unique_ptr<Stage>(World&, const std::string& name)>;

// So many rows may one table come to hold because of a stage: memory to count before building.
struct RowBudget {
  std::string table;
  double rows;
};

// What one stage keeps for a fluid and its boundaries besides columns, cells and neighbours: memory
// to count before building.
struct BoundaryMemory {
  std::string fluid;
  std::vector<std::string> boundaries;
  double row_bytes = 0;             // a row of the fluid
  double sample_bytes = 0;          // a sample of a boundary,
  double body_sample_bytes = 0;     // and what it takes more if it is of a body
  double node_bytes = 0;            // a node of a grid around each boundary,
  std::optional<double> cell = {};  // so far apart [m]; by default a spacing of the fluid,
  double margin = 0;                // as far as sums reach from a row, in spacings of the fluid
};

// The parameters of one stage as they were read.
struct StageParams {
  StageMaker make;
  Describe::Walk walk;  // visits them
  std::optional<RowBudget> budget;
  std::function<BoundaryMemory(int dim)> boundary_memory;  // none: nothing
  std::function<double(const GridShape&)> row_bytes;  // of a grid's cell; none: it does not say
};

// What a stage does not do, in at most three sentences of one line each. Its page has the rest.
using StageLimits = std::array<std::string_view, 3>;

// One stage type as the outside sees it: the scene reader, `list`, `describe`, the schema and the
// manual need nothing more.
struct StageType {
  std::string_view name;
  std::string_view summary;
  std::string_view source;                     // paper or book
  std::vector<std::string_view> limits;        // what it does not do, a line each
  std::string_view page;                       // of the documentation, on its family of stages
  Describe::Walk walk;                         // visits the parameters at their defaults
  std::function<StageParams(Describe&)> read;  // fills parameters, builds nothing yet
};

namespace detail {

template <class Params, class Make>
StageType make_type(std::string_view name, std::string_view summary, std::string_view source,
                    const StageLimits& limits, std::string_view page, Make make) {
  std::vector<std::string_view> given;
  for (const std::string_view limit : limits)
    if (!limit.empty()) given.push_back(limit);
  return {name,
          summary,
          source,
          std::move(given),
          page,
          [](Describe& d) {
            Params p;
            describe(d, p);
          },
          [make](Describe& d) -> StageParams {
            Params p;
            describe(d, p);
            StageParams read{
                [make, p](World& w, const std::string& own) { return make(p, w, own); },
                [p](Describe& again) {
                  Params copy = p;
                  describe(again, copy);
                },
                std::nullopt,
                {},
                {}};
            if constexpr (requires { row_budget(p); }) read.budget = row_budget(p);
            if constexpr (requires { boundary_memory(p, 2); })
              read.boundary_memory = [p](int dim) { return boundary_memory(p, dim); };
            if constexpr (requires { row_bytes(p, GridShape{}); })
              read.row_bytes = [p](const GridShape& g) { return row_bytes(p, g); };
            return read;
          }};
}

}  // namespace detail

// From a parameter struct with `void describe(Describe&, Params&)`, and a maker. `page` is the file
// in docs/ that tells when to choose this stage and has its limits in full: "docs/grids.md".
// Sources also have `RowBudget row_budget(const Params&)`, stages on grids `double row_bytes(const
// Params&, const GridShape&)`: the bytes a cell that they take, particle fluids `BoundaryMemory
// boundary_memory(const Params&, int dim)`: memory counted before building.
template <class Params>
StageType stage_type(std::string_view name, std::string_view summary, std::string_view source,
                     const StageLimits& limits, std::string_view page,
                     std::unique_ptr<Stage> (*make)(const Params&, World&)) {
  return detail::make_type<Params>(
      name, summary, source, limits, page,
      [make](const Params& p, World& w, const std::string&) { return make(p, w); });
}

// For a stage that has tables of its own, and names them after itself.
template <class Params>
StageType stage_type(std::string_view name, std::string_view summary, std::string_view source,
                     const StageLimits& limits, std::string_view page,
                     std::unique_ptr<Stage> (*make)(const Params&, World&, const std::string&)) {
  return detail::make_type<Params>(name, summary, source, limits, page, make);
}

}  // namespace rtsim
