#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "support/running.h"

namespace rtsim {

// A rectangle of water whose columns the test sets.
struct WaterScene {
  int nx = 100, nz = 1;
  double spacing = 0.1, dt = 0.01;
  std::string stage = {};  // more keys of the stage, each with a comma in front
  double level = 0;        // that it is filled to before the test sets its columns

  std::string text() const {
    return fmt::format(
        R"({{ "rtsim": 1, "dim": 3, "time": {{ "dt": {:.17g}, "steps_per_frame": 1, "frames": 1 }},
          "objects": [ {{ "name": "w", "kind": "height_field", "spacing": {:.17g},
            "min": [0, 0, 0], "max": [{:.17g}, 0, {:.17g}],
            "fill": {{ "plane": {{ "point": [0, {:.17g}, 0], "normal": [0, 1, 0] }} }} }} ],
          "stages": [ {{ "type": "shallow_water", "water": "w"{} }} ] }})",
        dt, spacing, nx * spacing, nz * spacing, level, stage);
  }
};

struct Standing {
  double bed, depth, u = 0, v = 0;
};

// The scene with columns given by a function of x and z, on this machine's processors.
struct Basin {
  WaterScene scene;
  Running run;

  explicit Basin(const WaterScene& s, const Exec& exec = Exec::cpu(2))
      : scene(s), run(s.text(), exec) {}
  template <class ColumnAt>
  Basin(const WaterScene& s, const ColumnAt& at, const Exec& exec = Exec::cpu(2)) : Basin(s, exec) {
    Real *b = data("bed"), *h = data("depth"), *qx = data("discharge_x"), *qz = data("discharge_z");
    for (int k = 0; k < s.nz; ++k)
      for (int i = 0; i < s.nx; ++i) {
        const Standing c = at(x(i), x(k));
        const int n = i + s.nx * k;
        b[n] = Real(c.bed), h[n] = Real(c.depth);
        qx[n] = Real(c.depth * c.u), qz[n] = Real(c.depth * c.v);
      }
    run.refresh();
  }

  double x(int i) const { return (i + 0.5) * scene.spacing; }  // also z
  Real* data(const char* column) { return run.world().table("w").column<Real>(column).data; }
  double depth(int i, int k = 0) { return data("depth")[i + scene.nx * k]; }
  double flow_x(int i, int k = 0) { return data("discharge_x")[i + scene.nx * k]; }
  double flow_z(int i, int k = 0) { return data("discharge_z")[i + scene.nx * k]; }
  double mass() { return run.measure("w.mass"); }

  void run_to(double time) { run.advance(std::lround(time / scene.dt) - run.steps); }

  // Sum of |depth - exact(x, z)| over that of exact.
  template <class Exact>
  double depth_error(const Exact& exact) {
    double error = 0, sum = 0;
    for (int k = 0; k < scene.nz; ++k)
      for (int i = 0; i < scene.nx; ++i) {
        const double h = exact(x(i), x(k));
        error += std::abs(depth(i, k) - h), sum += h;
      }
    return error / sum;
  }
};

}  // namespace rtsim
