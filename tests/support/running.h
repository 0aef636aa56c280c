#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/build/build.h"
#include "sim/catalog.h"
#include "sim/scene.h"

namespace rtsim {

// A scene built and stepped in memory, without a folder.
struct Running {
  Scene scene;
  Simulation sim;
  long steps = 0;

  Running(Scene s, const Exec& exec) : scene(std::move(s)), sim(build(scene, exec)) { refresh(); }
  Running(const std::string& text, const Exec& exec)
      : Running(read_scene_text(text, "scene.json", ".", {}, stage_catalog()), exec) {}

  World& world() { return *sim.world; }
  double dt() const { return scene.time.step_dt(); }
  double time() const { return double(steps) * dt(); }

  void refresh() { rtsim::refresh(sim, time()); }
  void advance(long n) {
    for (long i = 0; i < n; ++i, ++steps) rtsim::advance(sim, {steps, time(), dt(), true});
  }

  // "water.kinetic_energy" of the first stage that has it.
  double measure(const std::string& name) {
    for (const Measurement& m : rtsim::measure(sim))
      if (m.name.ends_with("." + name)) return m.value;
    throw Error(ExitCode::internal, "no stage measures " + name);
  }
};

// What a scene is refused with, when it is built or within so many steps; or nothing.
inline std::string refusal(const std::string& text, long steps) {
  try {
    Running r(text, Exec::cpu(2));
    r.advance(steps);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace rtsim
