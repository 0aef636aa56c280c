#include "meshes/tet_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/joined_sets.h"

namespace rtsim {

namespace {

int pieces_of(const CellMesh& m) {
  JoinedSets joined(m.points.size());
  std::vector<bool> used(m.points.size(), false);
  for (const auto& t : m.tets)
    for (const auto p : t) joined.join(t[0], p), used[std::size_t(p)] = true;
  int pieces = 0;
  for (std::size_t p = 0; p < used.size(); ++p)
    pieces += used[p] && joined.root(Index(p)) == Index(p);
  return pieces;
}

}  // namespace

TetQuality quality_of(const CellMesh& m) {
  TetQuality q{0, 180, 0, pieces_of(m)};
  constexpr double degrees = 180 / 3.14159265358979323846;
  constexpr std::size_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  for (const auto& t : m.tets) {
    q.volume += volume_of(m, t);
    Vec3d normal[4];
    for (int f = 0; f < 4; ++f) {
      const auto at = [&](int k) { return m.points[std::size_t(t[faces[f][k]])]; };
      normal[f] = cross(at(1) - at(0), at(2) - at(0));
    }
    // Between outward normals n and m of two faces the angle is pi less that of n and m.
    for (int f = 0; f < 4; ++f)
      for (int g = 0; g < f; ++g) {
        const double angle =
            degrees * std::atan2(norm(cross(normal[f], normal[g])), -dot(normal[f], normal[g]));
        q.least_angle = std::min(q.least_angle, angle);
        q.greatest_angle = std::max(q.greatest_angle, angle);
      }
  }
  return q;
}

std::string tell_tets(const CellMesh& m) {
  CellMesh whole;  // of second order, not their parts
  if (!m.ten_nodes.empty()) whole.points = m.points;
  for (const auto& e : m.ten_nodes) whole.tets.push_back({e[0], e[1], e[2], e[3]});
  const TetQuality q = quality_of(m.ten_nodes.empty() ? m : whole);
  std::string text = m.ten_nodes.empty() ? fmt::format("{} tetrahedra with {} points",
                                                       m.tets.size(), m.points.size())
                                         : fmt::format("{} tetrahedra of ten nodes with {} points",
                                                       m.ten_nodes.size(), m.points.size());
  text += fmt::format(", {:.6g} m^3", q.volume);
  if (m.shape_volume > 0)
    text += fmt::format(", {:.4g} % of the shape's volume", 100 * q.volume / m.shape_volume);
  if (q.pieces > 1) text += fmt::format(", in {} pieces", q.pieces);
  return text + fmt::format(", dihedral angles of {:.3g} to {:.4g} degrees", q.least_angle,
                            q.greatest_angle);
}

std::string tell_large(const CellMesh& m, double gravity) {
  if (m.points.empty() || !(gravity > 0)) return {};
  Vec3d low = m.points.front(), high = low;
  for (const Vec3d& x : m.points)
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  const double length = norm(high - low), time = std::sqrt(2 * length / gravity);
  if (!(time > 2)) return {};
  return fmt::format(
      "it is {:.3g} m across, and takes {:.2g} s to fall by as much; if its file is in "
      "millimetres, \"scale\": 0.001 in its transform makes it {:.3g} mm",
      length, time, length);
}

}  // namespace rtsim
