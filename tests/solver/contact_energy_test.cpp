#include <random>

#include "shapes/rotation.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// What falls on a slope with boxes and balls in it, each in any place and turned in any way.
struct Fall {
  std::mt19937 random;
  double size, dt;
  std::string boundaries, names;

  Fall(unsigned seed, double size_, double dt_) : random(seed), size(size_), dt(dt_) {
    add(fmt::format(R"("plane": {{"point": [0, 0, 0], "normal": [{}, 1, {}]}})", in(-0.3, 0.3),
                    in(-0.3, 0.3)));
    for (int k = 0; k < 3; ++k) {
      const std::string at = fmt::format("[{}, {}, {}]", size * in(-0.4, 0.4), size * in(0, 0.3),
                                         size * in(-0.4, 0.4));
      if (in(0, 1) < 0.5)
        add(fmt::format(R"("sphere": {{"centre": {}, "radius": {}}})", at, size * in(0.05, 0.3)));
      else
        add(fmt::format(R"("box": {{"min": [{0}, {1}, {2}], "max": [{3}, {4}, {5}]}},
                           "transform": {{"angle": {6}, "axis": [{7}, {8}, 1], "translate": {9}}})",
                        -size * 0.2, -size * 0.1, -size * 0.15, size * in(0.05, 0.3),
                        size * in(0.05, 0.3), size * in(0.05, 0.3), in(-70, 70), in(-1, 1),
                        in(-1, 1), at));
    }
  }
  double in(double from, double to) {
    return from + (to - from) * double(random() >> 8) / double(1 << 24);
  }
  void add(const std::string& shape) {
    const std::string name = fmt::format("b{}", names.size());
    boundaries +=
        fmt::format(R"(, {{"name": "{}", "kind": "boundary", "shape": {{{}}}}})", name, shape);
    names += fmt::format(R"({}"{}")", names.empty() ? "" : ", ", name);
  }
  std::string scene(const std::string& mesh, double density, const std::string& stage) {
    const std::string turn = fmt::format(
        R"("transform": {{"angle": {}, "axis": [{}, {}, {}], "translate": [{}, {}, {}]}})",
        in(-80, 80), in(-1, 1), in(-1, 1), in(-1, 1), -0.2 * size, 2.2 * size, -0.2 * size);
    return fmt::format(
        R"({{"rtsim": 1, "dim": 3, "time": {{"dt": {}, "steps_per_frame": 1, "frames": 1000}},
             "objects": [{{"name": "m", "kind": "mesh", "density": {}, "mesh": {{{}, {}}}}}{}],
             "stages": [{{"type": {}, "mesh": "m", "boundary": [{}]}}], "output": []}})",
        dt, density, mesh, turn, boundaries, stage, names);
  }
};

double energy(Running& r) {
  return r.measure("m.kinetic_energy") + r.measure("m.elastic_energy") +
         r.measure("m.potential_energy");
}

// The most that energy rises over what it was at any time before, over the weight times the size.
double greatest_rise(const std::string& scene, double size) {
  Running r(scene, Exec::cpu(2));
  double least = energy(r), rise = 0;
  while (r.time() < 3 * std::sqrt(2 * 2.2 * size / g)) {
    r.advance(1);
    const double e = energy(r);
    least = std::min(least, e), rise = std::max(rise, e - least);
  }
  return rise / (r.measure("m.mass") * g * size);
}

std::string sheet_of(Fall& f) {
  return fmt::format(R"("sheet": {{"u": [{}, 0, 0], "v": [0, 0, {}], "cells": [8, 9]}})",
                     f.size * f.in(0.4, 0.9), f.size * f.in(0.4, 0.9));
}
std::string block_of(Fall& f) {
  return fmt::format(R"("block": {{"min": [0, 0, 0], "max": [{}, {}, {}], "cells": [3, 4, 3]}})",
                     f.size * f.in(0.15, 0.5), f.size * f.in(0.15, 0.5), f.size * f.in(0.15, 0.5));
}

}  // namespace

// A step in which contact makes energy is taken again in shorter ones where that is more than a
// thousandth of what there is; a fall is 2.2 of the unit.
TEST_CASE("contact: what falls on boundaries gains no energy by it, at any step and size",
          "[long]") {
  for (unsigned seed = 1; seed <= 8; ++seed)
    for (const double size : {0.13, 1., 7.}) {
      const double dt = std::sqrt(size) / (seed % 2 == 0 ? 31 : 60);
      INFO("seed " << seed << ", size " << size << ", dt " << dt);
      Fall cloth(seed, size, dt), springs(seed + 20, size, dt), solid(seed + 40, size, dt);
      CHECK(greatest_rise(cloth.scene(sheet_of(cloth), 0.2, R"("cloth_implicit")"), size) < 5e-3);
      CHECK(greatest_rise(
                springs.scene(sheet_of(springs), 0.2,
                              fmt::format(R"("mass_spring", "network": "cloth", "stiffness": {})",
                                          0.2 * g * size * std::pow(10, springs.in(1.3, 3)))),
                size) < 5e-3);
      CHECK(greatest_rise(solid.scene(block_of(solid), 1000,
                                      fmt::format(R"("fem", "youngs_modulus": {})",
                                                  1000 * g * size * std::pow(10, solid.in(1, 4)))),
                          size) < 5e-3);
    }
}

// Led out to the thickness, it would leap by that.
TEST_CASE("contact: what begins nearer to a boundary than the thickness does not leap", "[long]") {
  const std::string block =
      R"("block": {"min": [0, 0, 0], "max": [1, 0.6, 0.8], "cells": [4, 3, 3]})";
  const std::string sheet = R"("sheet": {"u": [1, 0, 0], "v": [0, 0, 1], "cells": [7, 7]})";
  const std::string xpbd = R"("xpbd", "stretch_compliance": 1e-4)";
  for (const auto& [mesh, stage] : std::vector<std::pair<std::string, std::string>>{
           {block, R"("fem", "youngs_modulus": 1e5)"},
           {block, xpbd},
           {block, R"("modal", "youngs_modulus": 1e5)"},
           {sheet, xpbd},
           {sheet, R"("cloth_implicit")"},
           {sheet, R"("mass_spring", "network": "cloth", "stiffness": 300)"},
           {sheet, R"("pbd")"},
           {sheet, R"("verlet")"}})
    for (const double gap : {0., 0.003, 0.011})
      for (const std::string touch : {"", R"(, "touch": "faces")"}) {
        if (stage.find("modal") != std::string::npos && !touch.empty()) continue;
        INFO(stage << ", gap " << gap << ", " << touch);
        // Down is across the floor, which leans, and the mesh with it.
        const std::string turn = R"("angle": 33, "axis": [1, 0.4, -0.7])";
        const Vec3d down = rotation_about({{1, 0.4, -0.7}}, 33 * pi / 180).apply({{0, -g, 0}});
        Running r(fmt::format(
                      R"({{"rtsim": 1, "dim": 3, "time": {{"dt": 0.007, "steps_per_frame": 1,
                     "frames": 1000}}, "gravity": [{0}, {1}, {2}], "objects": [
                   {{"name": "m", "kind": "mesh", "density": 300,
                     "mesh": {{{3}, "transform": {{{4}}}}}}},
                   {{"name": "floor", "kind": "boundary", "shape": {{
                     "box": {{"min": [-3, -1, -3], "max": [3, {5}, 3]}}, "transform": {{{4}}}}}}}],
                   "stages": [{{"type": {6}, "mesh": "m", "boundary": ["floor"],
                     "thickness": 0.014{7}}}], "output": []}})",
                      down[0], down[1], down[2], mesh, turn, -gap, stage, touch),
                  Exec::cpu(2));
        const auto height = [&] {
          return r.measure("m.potential_energy") / r.measure("m.mass") / g;
        };
        const double first = height();
        double highest = first;
        for (int k = 0; k < 40; ++k) r.advance(1), highest = std::max(highest, height());
        CHECK(highest < first + 1e-6);
      }
}

// A frame of rubber falls on its corner and comes to rest. Points that touch are not asked to come
// nearer, which a sweep would undo step by step, as energy from nowhere: steps need no halving.
TEST_CASE("contact: what has come to rest on a floor takes whole steps") {
  Running r(R"({"rtsim": 1, "dim": 3, "time": {"dt": 0.014, "steps_per_frame": 1, "frames": 1},
    "objects": [
      {"name": "frame", "kind": "mesh", "density": 1000, "mesh": {"solid": {"spacing": 0.1,
        "shape": {"difference": [{"box": {"min": [0, 0, 0], "max": [1, 0.9, 0.3]}},
                                 {"box": {"min": [0.2, 0.2, -1], "max": [0.8, 0.7, 1]}}]}},
        "transform": {"axis": [0.53227, 0.79803, 0.78772], "angle": 175.965,
                      "translate": [0, 1.6, 0]}}},
      {"name": "floor", "kind": "boundary", "shape": {"plane": {}}}],
    "stages": [{"type": "fem", "mesh": "frame", "boundary": ["floor"], "self_contact": true,
      "friction": 0, "youngs_modulus": 682515, "poissons_ratio": 0.35}], "output": []})",
            Exec::cpu(2));
  r.advance(70);
  double most = 0;
  for (int i = 0; i < 40; ++i) r.advance(1), most = std::max(most, r.measure("frame.substeps"));
  CHECK(most == 1);
  CHECK(r.measure("frame.kinetic_energy") < 1e-6 * 3420);
}
