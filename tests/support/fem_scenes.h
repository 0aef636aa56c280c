#pragma once
#include "support/mesh_scenes.h"

// Solids of finite elements, and what their tests do to them.
namespace rtsim::testing {

inline std::string fem_stage(const std::string& more) {
  return R"({"type": "fem", "mesh": "m")" + (more.empty() ? "" : ", " + more) + "}";
}

// What a solve is asked for where the answer is compared with an exact one.
inline constexpr const char* tight = R"("newton_tolerance": 1e-6, "cg_tolerance": 1e-6)";

inline std::string block(const std::string& max, const std::string& cells) {
  return fmt::format(R"("block": {{"min": [0, 0, 0], "max": {}, "cells": {}}})", max, cells);
}

inline void put(Running& r, const char* column,
                const std::function<Vec3d(std::size_t, const Vec3d&)>& of) {
  const auto old = places(r, column);
  std::vector<Vec<3>> all;
  for (std::size_t i = 0; i < old.size(); ++i) all.push_back(narrow<3>(of(i, old[i])));
  const Span<Vec<3>> to = r.world().table("m").column<Vec<3>>(column);
  r.world().exec.upload(to.data, all.data(), all.size() * sizeof(Vec<3>));
}

inline double energy(Running& r) {
  return r.measure("m.kinetic_energy") + r.measure("m.potential_energy") +
         r.measure("m.elastic_energy");
}

}  // namespace rtsim::testing
