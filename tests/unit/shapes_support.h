#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shapes/mesh_file.h"
#include "shapes/rotation.h"
#include "shapes/shape.h"

namespace rtsim::testing {

// Evenly spread points of [-reach, reach]^dim (additive recurrence of irrational steps).
inline std::vector<Vec3d> scatter(int n, double reach, int dim = 3) {
  std::vector<Vec3d> points;
  for (int i = 1; i <= n; ++i) {
    const double turns[3] = {i * 0.8191725133961645, i * 0.6710436067037893,
                             i * 0.5497004779019703};
    Vec3d x;
    for (int a = 0; a < dim; ++a) x[a] = reach * (2 * (turns[a] - std::floor(turns[a])) - 1);
    points.push_back(x);
  }
  return points;
}

// An octahedron cut into `n` parts along each edge and blown up to a sphere, facing outwards.
inline TriangleMesh sphere_mesh(double radius, int n) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::int32_t> known;
  const auto corner = [&](std::array<int, 3> p) {
    const auto [it, added] = known.try_emplace(p, std::int32_t(mesh.vertices.size()));
    const Vec3d x{{double(p[0]), double(p[1]), double(p[2])}};
    if (added) mesh.vertices.push_back((radius / norm(x)) * x);
    return it->second;
  };
  for (int octant = 0; octant < 8; ++octant) {
    const int sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
    const auto at = [&](int i, int j) { return corner({sx * i, sy * j, sz * (n - i - j)}); };
    const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
      if (sx * sy * sz > 0)
        mesh.triangles.push_back({a, b, c});
      else
        mesh.triangles.push_back({a, c, b});
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        add(at(i, j), at(i + 1, j), at(i, j + 1));
        if (i + j + 1 < n) add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
  }
  return mesh;
}

// A closed ring of squares cut in two, around z.
inline TriangleMesh torus_mesh(double ring, double tube, int n) {
  TriangleMesh m;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double u = 2 * pi * i / n, v = 2 * pi * j / n, r = ring + tube * std::cos(v);
      m.vertices.push_back({{r * std::cos(u), r * std::sin(u), tube * std::sin(v)}});
      const int a = i * n + j, b = (i + 1) % n * n + j, c = (i + 1) % n * n + (j + 1) % n,
                d = i * n + (j + 1) % n;
      m.triangles.push_back({a, b, c}), m.triangles.push_back({a, c, d});
    }
  return m;
}

inline ShapeSpec box(const Vec3d& min, const Vec3d& max) {
  ShapeSpec s;
  s.box = BoxSpec{min, max};
  return s;
}

inline ShapeSpec tank(const Vec3d& min, const Vec3d& max) {
  ShapeSpec s = box(min, max);
  s.inside = true;
  return s;
}

inline ShapeSpec sphere(const Vec3d& centre, double radius) {
  ShapeSpec s;
  s.sphere = SphereSpec{centre, radius};
  return s;
}

// The text of the error a call throws; empty where it throws none.
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace rtsim::testing
