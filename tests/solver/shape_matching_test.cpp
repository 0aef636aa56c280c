#include <functional>

#include "pbd/best_rotation.h"
#include "support/mesh_scenes.h"

using namespace rtsim;
using namespace rtsim::testing;

namespace {

// A block of jelly in free space, moved to where `deformed` says.
struct Jelly {
  std::string matching;
  double damping = 0;
  double dt = 0.01;
  int substeps = 1;

  Running run(const std::function<Vec3d(const Vec3d&)>& deformed) const {
    MeshScene s{.mesh = R"("block": {"min": [0, 0, 0], "max": [1, 0.6, 0.4], "cells": [5, 3, 2]})",
                .stages = fmt::format(R"({{"type": "pbd", "mesh": "m", "stretch_stiffness": 0,
          "keep_volume": false, "damping": {}, "iterations": 1, "substeps": {},
          "shape_matching": {{{}}}}})",
                                      damping, substeps, matching),
                .dt = dt,
                .gravity = "[0, 0, 0]"};
    Running r(s.text(), Exec::cpu(2));
    auto x = r.world().table("m").download<Vec<3>>("position");
    for (auto& p : x) p = narrow<3>(deformed(widen(p)));
    r.world().exec.upload(r.world().table("m").column<Vec<3>>("position").data, x.data(),
                          x.size() * sizeof(x[0]));
    return r;
  }
};

double volume(Running& r) {
  const auto x = places(r);
  double sum = 0;
  for (const auto& t : corners_of<4>(r.world(), "m.tets"))
    sum += dot(cross(x[std::size_t(t[1])] - x[std::size_t(t[0])],
                     x[std::size_t(t[2])] - x[std::size_t(t[0])]),
               x[std::size_t(t[3])] - x[std::size_t(t[0])]) /
           6;
  return sum;
}

Vec3d stretched(const Vec3d& x) { return {{1.4 * x[0] + 0.3 * x[1], 0.8 * x[1], 1.1 * x[2]}}; }

}  // namespace

TEST_CASE("shape_matching: the best rotation is proper, whatever the points became") {
  const double flat[3][3] = {{2, 0, 0}, {0, 0, 0}, {0, 0, 1}},
               line[3][3] = {{0, 0, 0}, {3, 0, 0}, {0, 0, 0}},
               mirror[3][3] = {{-3, 0, 0}, {0, 2, 0}, {0, 0, 1}}, none[3][3] = {},
               turned[3][3] = {{0, -2, 0}, {1, 0, 0}, {0, 0, 3}};
  for (const auto& a : {flat, line, mirror, none, turned}) {
    const auto best = pbd::BestRotation::of(a);
    const auto& r = best.r;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        CHECK(r[i][0] * r[j][0] + r[i][1] * r[j][1] + r[i][2] * r[j][2] ==
              Approx(i == j).margin(1e-12));
    CHECK(r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
              r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
              r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]) ==
          Approx(1));
  }
  const auto best = pbd::BestRotation::of(turned);
  const auto& r = best.r;  // symmetric but for a quarter turn about z
  CHECK(r[0][1] == Approx(-1));
  CHECK(r[1][0] == Approx(1));
}

TEST_CASE("shape_matching: flat, collapsed and mirrored jelly returns to its shape") {
  for (const char* matching :
       {R"("mode": "rigid", "stiffness": 0.5)", R"("mode": "linear", "stiffness": 0.5)",
        R"("mode": "quadratic", "stiffness": 0.5)",
        R"("mode": "linear", "region": 0.7, "stiffness": 0.5)"})
    for (const Vec3d& scale :
         {Vec3d{{1, 1, 0}}, Vec3d{{1, 0, 0}}, Vec3d{{0, 0, 0}}, Vec3d{{-1, 1, 1}}}) {
      INFO(matching << scale[0] << scale[1] << scale[2]);
      // Regions see only their own mirror images, and may settle folded: the whole turns back.
      if (std::string(matching).find("region") != std::string::npos && scale[0] <= 0) continue;
      Running r = Jelly{matching, 20}.run([&](const Vec3d& x) {
        return Vec3d{{scale[0] * x[0], scale[1] * x[1], scale[2] * x[2]}};
      });
      r.advance(150);
      CHECK(r.measure("m.strain_residual") < 1e-3);
      CHECK(volume(r) == Approx(0.24).epsilon(1e-3));
    }
}

TEST_CASE("shape_matching: it keeps momentum, also where regions overlap") {
  for (const char* matching :
       {R"("mode": "rigid", "stiffness": 0.3)", R"("mode": "linear", "stiffness": 0.3)",
        R"("mode": "quadratic", "stiffness": 0.3)",
        R"("mode": "quadratic", "region": 0.5, "stiffness": 0.3)"}) {
    INFO(matching);
    Running r = Jelly{matching}.run(stretched);
    r.advance(3);
    const Motion m = motion(r);
    CHECK(m.scale > 0.01);
    // From rest. Sums of 72 points in float.
    CHECK(norm(m.momentum) < 1e-4 * m.scale);
  }
}

TEST_CASE("shape_matching: amplitudes never grow, for any stiffness and step") {
  for (const double stiffness : {0.01, 0.3, 1.0})
    for (const double dt : {1e-3, 0.1, 10.0}) {
      INFO(stiffness << " " << dt);
      Running r = Jelly{fmt::format(R"("mode": "rigid", "stiffness": {})", stiffness), 0, dt}.run(
          stretched);
      const double start = r.measure("m.strain_residual");
      for (int n = 0; n < 60; ++n) {
        r.advance(1);
        CHECK(r.measure("m.strain_residual") < 1.1 * start);
      }
    }
}

TEST_CASE("shape_matching: what a mode allows costs it nothing") {
  const auto bent = [](const Vec3d& x) {
    return Vec3d{{x[0] + 0.1 * x[1] * x[2], x[1] + 0.3 * x[0] * x[0], x[2] - 0.2 * x[0] * x[1]}};
  };
  const auto sheared = [](const Vec3d& x) {
    return Vec3d{{x[0] + 0.4 * x[1], x[1], x[2] - 0.3 * x[1]}};
  };
  for (const auto& [mode, deformed] :
       {std::pair<const char*, std::function<Vec3d(const Vec3d&)>>{"linear", sheared},
        {"quadratic", bent}}) {
    INFO(mode);
    Running r =
        Jelly{fmt::format(R"("mode": "{}", "beta": 1, "stiffness": 1)", mode)}.run(deformed);
    const auto before = places(r);
    r.advance(1);
    const auto after = places(r);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(norm(after[i] - before[i]) < 20 * eps);
  }
}
