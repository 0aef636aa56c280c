#pragma once
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "support/running.h"

// Emission beside a stage that only moves particles on, so that every position is known: no
// forces, no neighbours.
namespace rtsim {

struct DriftParams {
  ObjectName fluid;
};
inline void describe(Describe& d, DriftParams& p) {
  static constexpr const char* fluids[] = {"particles"};
  d.role("fluid", p.fluid, fluids, "What moves on.");
}

// x' = x + dt v
class Drift final : public Stage {
 public:
  explicit Drift(const DriftParams& p) : fluid_(p.fluid.name) {}
  void advance(World& world, const Step& step) override {
    if (world.dim == 2)
      move<2>(world, Real(step.dt));
    else
      move<3>(world, Real(step.dt));
  }

 private:
  template <int D>
  void move(World& world, Real dt) {
    Table& t = world.table(fluid_);
    std::vector<Vec<D>> x = t.download<Vec<D>>("position");
    const std::vector<Vec<D>> v = t.download<Vec<D>>("velocity");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + dt * v[i];
    world.exec.upload(t.column<Vec<D>>("position").data, x.data(), x.size() * sizeof x[0]);
  }
  std::string fluid_;
};

inline std::vector<StageType> with_drift() {
  std::vector<StageType> catalog = stage_catalog();
  catalog.push_back(
      stage_type<DriftParams>("drift", "Moves particles on.", "Newton, first law", {"No forces."},
                              "", [](const DriftParams& p, World&) -> std::unique_ptr<Stage> {
                                return std::make_unique<Drift>(p);
                              }));
  return catalog;
}

// A pipe of 4 x 3 spacings along x, which pours into the void.
struct Jet {
  int dim = 3;
  double spacing = 0.05, dt = 0.013;
  std::string shape = R"("box": { "min": [0, 0, 0], "max": [0.1, 0.2, 0.15] })";
  std::string velocity = "[2, 0, 0]";
  std::string more;  // keys of the emitter, each with a comma before it
  int max_particles = 100000;
  std::string fill;  // of the water, with a comma before it
  std::string stages_behind;

  std::string text() const {
    return fmt::format(
        R"({{ "rtsim": 1, "dim": {}, "seed": 3,
  "time": {{ "dt": {}, "steps_per_frame": 1, "frames": 1000 }},
  "objects": [ {{ "name": "water", "kind": "particles", "spacing": {}{} }} ],
  "stages": [
    {{ "type": "emit", "fluid": "water", "shape": {{ {} }}, "velocity": {},
      "max_particles": {}{} }},
    {{ "type": "drift", "fluid": "water" }}{} ] }})",
        dim, dt, spacing, fill, shape, velocity, max_particles, more, stages_behind);
  }
  Running run(int threads = 1) const {
    return Running(read_scene_text(text(), "scene.json", ".", {}, with_drift()),
                   Exec::cpu(threads));
  }
  std::string complaint() const {
    try {
      run();
    } catch (const Error& e) {
      return e.code() == ExitCode::bad_input ? e.what() : "wrong exit code";
    }
    return "";
  }
};

inline std::vector<std::uint32_t> ids(Running& r) {
  return r.world().table("water").download<std::uint32_t>("id");
}

}  // namespace rtsim
