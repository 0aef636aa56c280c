#pragma once
#include <functional>
#include <memory>
#include <string_view>

#include "param/describe.h"
#include "stage/stage.h"

namespace rtsim {

using StageMaker = std::function<std::unique_ptr<Stage>(World&)>;

// The parameters of one stage as they were read.
struct StageParams {
  StageMaker make;
  Describe::Walk walk;  // visits them
};

// One stage type as the outside sees it: the scene reader, `list`, `describe`, the schema and the
// manual need nothing more.
struct StageType {
  std::string_view name;
  std::string_view summary;
  std::string_view source;                     // paper or book
  std::string_view limits;                     // what it does not do
  Describe::Walk walk;                         // visits the parameters at their defaults
  std::function<StageParams(Describe&)> read;  // fills parameters, builds nothing yet
};

// From a parameter struct with `void describe(Describe&, Params&)`, and a maker.
template <class Params>
StageType stage_type(std::string_view name, std::string_view summary, std::string_view source,
                     std::string_view limits,
                     std::unique_ptr<Stage> (*make)(const Params&, World&)) {
  return {name,
          summary,
          source,
          limits,
          [](Describe& d) {
            Params p;
            describe(d, p);
          },
          [make](Describe& d) -> StageParams {
            Params p;
            describe(d, p);
            return {[make, p](World& w) { return make(p, w); },
                    [p](Describe& again) {
                      Params copy = p;
                      describe(again, copy);
                    }};
          }};
}

}  // namespace rtsim
