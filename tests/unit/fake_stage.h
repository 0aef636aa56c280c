#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/scene.h"
#include "stage/stage_type.h"

// A stage type with one parameter of every sort, for the tests of what reads and prints them.
namespace rtsim::fake {

enum class Mode { slow, fast };

struct Nozzle {
  double width = 0.1;  // [m]
  Vec3d direction{{0, -1, 0}};
};

struct Params {
  ObjectName fluid;
  ObjectNames boundary;
  double stiffness = 1000;
  double damping = 0;
  std::optional<double> max_speed;
  int substeps = 1;
  bool quiet = false;
  Mode mode = Mode::fast;
  std::vector<double> weights{1, 2};
  FileName table;
  std::optional<Nozzle> nozzle;
};

inline void describe(Describe& d, Nozzle& n) {
  d.required("width", n.width, "m", above(0), "How wide it is.");
  d.vector("direction", n.direction, "", "Where it points.");
}

inline void describe(Describe& d, Params& p) {
  static constexpr const char* fluids[] = {"particles"};
  static constexpr const char* walls[] = {"boundary", "bodies"};
  static constexpr Option modes[] = {{"slow", int(Mode::slow), "with care."},
                                     {"fast", int(Mode::fast), "with speed."},
                                     {"warp", 7, "some day.", false}};
  d.role("fluid", p.fluid, fluids, "What is poured.");
  d.roles("boundary", p.boundary, walls, "What it hits.");
  d("stiffness", p.stiffness, "N/m^D", above(0), "Spring constant k.");
  d("damping", p.damping, "N s/m", at_least(0), "Friction c.");
  d("max_speed", p.max_speed, "m/s", above(0), "Expected; from gravity unless given.");
  d("substeps", p.substeps, "", between(1, 100), "Parts of a step.");
  d("quiet", p.quiet, "Says nothing.");
  d.choice("mode", p.mode, modes, "How:");
  d("weights", p.weights, "kg", at_least(0), "Of the parts.");
  d("table", p.table, "Tabulated a|b.");
  d.nested("nozzle", p.nozzle, "Where it pours from.");
}

class Idle final : public Stage {
 public:
  void advance(World&, const Step&) override {}
};

inline std::vector<StageType> catalog() {
  return {stage_type<Params>(
      "pour", "Pours a fluid.", "Bernoulli, Hydrodynamica, 1738", {"No splashes.", "No spray."},
      "docs/pouring.md",
      [](const Params&, World&) -> std::unique_ptr<Stage> { return std::make_unique<Idle>(); })};
}

inline Scene read(const std::string& text, const std::vector<std::string>& set = {}) {
  return read_scene_text(text, "scene.json", "/scenes", set, catalog());
}

// What reading complains of, empty if nothing.
inline std::string complaints(const std::string& text, const std::vector<std::string>& set = {}) {
  try {
    read(text, set);
  } catch (const Error& e) {
    return e.code() == ExitCode::bad_input ? e.what() : "wrong exit code";
  }
  return "";
}

inline const std::string good_scene = R"({
  // a tank of water
  "$schema": "../schema.json", "rtsim": 1, "seed": 7,
  "time": { "fps": 50, "steps_per_frame": 4, "duration": 0.3 },
  "objects": [
    { "name": "water", "kind": "particles", "spacing": 0.02,
      "fill": { "box": { "min": [0, 0, 0], "max": [0.4, 0.8, 0.4] } } },
    { "name": "tank", "kind": "boundary",
      "shape": { "box": { "min": [0, 0, 0], "max": [1.6, 1, 0.4] }, "inside": true } } ],
  "stages": [
    { "type": "pour", "fluid": "water", "boundary": ["tank"], "table": "data/../pour.csv" } ],
  "output": [ { "object": "water" } ]
}
)";

}  // namespace rtsim::fake
