#include "meshes/embed.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "shapes/triangle_tree.h"

namespace rtsim {

namespace {

using Weights = std::array<double, 4>;

// Barycentric coordinates: volumes of the tets that the place makes with three corners each.
Weights weights_in(const CellMesh& m, const CellMesh::Tet& t, const Vec3d& x) {
  const Vec3d &a = m.points[std::size_t(t[0])], &b = m.points[std::size_t(t[1])],
              &c = m.points[std::size_t(t[2])], &d = m.points[std::size_t(t[3])];
  const double whole = dot(cross(b - a, c - a), d - a);
  Weights w;
  w[1] = dot(cross(x - a, c - a), d - a) / whole;
  w[2] = dot(cross(b - a, x - a), d - a) / whole;
  w[3] = dot(cross(b - a, c - a), x - a) / whole;
  w[0] = 1 - w[1] - w[2] - w[3];
  return w;
}

double least(const Weights& w) { return *std::ranges::min_element(w); }

// The tets whose boxes reach into each cell of a lattice.
class TetBins {
 public:
  explicit TetBins(const CellMesh& m) {
    double sum = 0;
    for (const auto& t : m.tets)
      for (const auto p : t) sum += norm(m.points[std::size_t(p)] - m.points[std::size_t(t[0])]);
    side_ = sum / (3.0 * double(m.tets.size()));
    for (std::size_t t = 0; t < m.tets.size(); ++t) add(m, t);
  }
  const std::vector<std::size_t>& near(const Vec3d& x) const {
    static const std::vector<std::size_t> none;
    const auto bin = bins_.find(cell(x));
    return bin == bins_.end() ? none : bin->second;
  }

 private:
  using Cell = std::array<long, 3>;
  Cell cell(const Vec3d& x) const {
    return {std::lround(std::floor(x[0] / side_)), std::lround(std::floor(x[1] / side_)),
            std::lround(std::floor(x[2] / side_))};
  }
  void add(const CellMesh& m, std::size_t t) {
    Vec3d low = m.points[std::size_t(m.tets[t][0])], high = low;
    for (const auto p : m.tets[t])
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], m.points[std::size_t(p)][a]);
        high[a] = std::max(high[a], m.points[std::size_t(p)][a]);
      }
    const Cell from = cell(low), to = cell(high);
    for (long k = from[2]; k <= to[2]; ++k)
      for (long j = from[1]; j <= to[1]; ++j)
        for (long i = from[0]; i <= to[0]; ++i) bins_[{i, j, k}].push_back(t);
  }

  double side_;
  std::map<Cell, std::vector<std::size_t>> bins_;
};

CellMesh::Triangle sorted(CellMesh::Triangle t) {
  std::ranges::sort(t);
  return t;
}

}  // namespace

std::vector<Embedded> embed(const std::vector<Vec3d>& places, const std::vector<Vec3d>& points,
                            const std::vector<CellMesh::Tet>& tets) {
  CellMesh m;
  m.points = points, m.tets = tets;
  const TetBins bins(m);
  const TriangleTree surface({points, boundary_of(tets)});
  std::map<CellMesh::Triangle, std::size_t> behind;  // a face
  constexpr std::size_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
  for (std::size_t t = 0; t < tets.size(); ++t)
    for (const auto& f : faces) behind[sorted({tets[t][f[0]], tets[t][f[1]], tets[t][f[2]]})] = t;
  std::vector<Embedded> all;
  for (const Vec3d& x : places) {
    const auto& face = surface.mesh().triangles[std::size_t(surface.nearest(x).triangle)];
    std::size_t best = behind.at(sorted(face));
    Weights w = weights_in(m, tets[best], x);
    for (const std::size_t t : bins.near(x))
      if (const Weights here = weights_in(m, tets[t], x); least(here) >= 0 && least(w) < 0)
        best = t, w = here;
    all.push_back({tets[best], w, 0});
  }
  return all;
}

std::vector<Embedded> embed(const std::vector<Vec3d>& places, const std::vector<Vec3d>& points,
                            const std::vector<CellMesh::Triangle>& triangles) {
  const TriangleTree surface({points, triangles});
  std::vector<Embedded> all;
  for (const Vec3d& x : places) {
    const auto& t = surface.mesh().triangles[std::size_t(surface.nearest(x).triangle)];
    const Vec3d a = points[std::size_t(t[0])], ab = points[std::size_t(t[1])] - a,
                ac = points[std::size_t(t[2])] - a, n = cross(ab, ac), d = x - a;
    const double square = dot(n, n);
    Embedded e{{t[0], t[1], t[2], t[0]}, {}, dot(n, d) / std::sqrt(square)};
    e.weight[1] = dot(cross(d, ac), n) / square;
    e.weight[2] = dot(cross(ab, d), n) / square;
    e.weight[0] = 1 - e.weight[1] - e.weight[2];
    all.push_back(e);
  }
  return all;
}

}  // namespace rtsim
