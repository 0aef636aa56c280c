#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "shapes/mesh_text.h"

namespace rtsim {
namespace {

struct Point2 {
  double x, y;
  bool operator==(const Point2&) const = default;
};

double twice_area(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Newell's normal: the sum of cross products around the outline, right for any planar polygon.
Vec3d newell_normal(const TriangleMesh& mesh, const std::vector<std::int32_t>& corners) {
  Vec3d n;
  const Vec3d& start = mesh.vertices[corners[0]];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    n = n + cross(mesh.vertices[corners[i]] - start, mesh.vertices[corners[i + 1]] - start);
  return n;
}

// Seen along the normal's largest component, counter-clockwise.
std::vector<Point2> project(const TriangleMesh& mesh, const std::vector<std::int32_t>& corners) {
  const Vec3d n = newell_normal(mesh, corners);
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(n[a]) > std::abs(n[axis])) axis = a;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (n[axis] < 0) std::swap(u, v);
  std::vector<Point2> points;
  for (const std::int32_t c : corners) points.push_back({mesh.vertices[c][u], mesh.vertices[c][v]});
  return points;
}

// Corners that meet at one position (an outline bridged to its hole) do not count.
bool contains(const Point2& a, const Point2& b, const Point2& c, const Point2& p) {
  if (p == a || p == b || p == c) return false;
  return twice_area(a, b, p) >= 0 && twice_area(b, c, p) >= 0 && twice_area(c, a, p) >= 0;
}

// A corner whose triangle turns left and holds no other corner of the outline.
bool is_ear(const std::vector<Point2>& points, const std::vector<int>& outline, std::size_t i) {
  const std::size_t n = outline.size(), before = (i + n - 1) % n, after = (i + 1) % n;
  const Point2 &a = points[outline[before]], &b = points[outline[i]], &c = points[outline[after]];
  if (!(twice_area(a, b, c) > 0)) return false;
  for (std::size_t j = 0; j < n; ++j)
    if (j != before && j != i && j != after && contains(a, b, c, points[outline[j]])) return false;
  return true;
}

// The first ear at or after `from`, around the outline; none in outlines that cross themselves.
std::optional<std::size_t> find_ear(const std::vector<Point2>& points,
                                    const std::vector<int>& outline, std::size_t from) {
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const std::size_t i = (from + k) % outline.size();
    if (is_ear(points, outline, i)) return i;
  }
  return std::nullopt;
}

}  // namespace

// Ear clipping (Meisters, "Polygons have ears", 1975). What has no ear, because it crosses itself
// or has no area, becomes a fan: its neighbours stay joined.
void append_polygon(TriangleMesh& mesh, const std::vector<std::int32_t>& corners) {
  std::vector<int> outline(corners.size());
  std::iota(outline.begin(), outline.end(), 0);
  const std::vector<Point2> points =
      corners.size() > 3 ? project(mesh, corners) : std::vector<Point2>();
  std::size_t ear = 1;
  bool fan = false;
  while (outline.size() >= 3) {
    const std::size_t n = outline.size();
    if (n > 3 && !fan) {
      const auto found = find_ear(points, outline, ear % n);
      fan = !found;
      ear = found.value_or(1);
    }
    ear %= n;
    const std::array<std::int32_t, 3> t{corners[outline[(ear + n - 1) % n]], corners[outline[ear]],
                                        corners[outline[(ear + 1) % n]]};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
    outline.erase(outline.begin() + std::ptrdiff_t(ear));
  }
}

}  // namespace rtsim
