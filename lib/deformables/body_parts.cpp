#include "deformables/body_parts.h"

namespace rtsim {

namespace {

Vec3d mean(const std::vector<Vec3d>& points) {
  Vec3d sum;
  for (const Vec3d& p : points) sum = sum + p;
  return 1 / double(points.size()) * sum;
}

ShapePart part_of_box(const ConvexPart& box) {
  ShapePart p{.kind = ShapePart::Kind::box, .translation = mean(box.points)};
  Vec3d axis[3];
  for (int a = 0; a < 3; ++a) {
    const Vec3d edge = box.points[std::size_t(1) << a] - box.points[0];
    const double length = norm(edge);
    axis[a] = 1 / length * edge;
    p.b[a] = 0.5 * length, p.a[a] = -p.b[a];
  }
  for (int r = 0; r < 3; ++r) p.rotation.row[r] = {{axis[0][r], axis[1][r], axis[2][r]}};
  return p;
}

TriangleMesh surface_of_hull(const ConvexPart& hull) {
  TriangleMesh m;
  m.vertices = hull.points;
  for (const std::vector<int>& f : hull.faces)
    for (std::size_t k = 2; k < f.size(); ++k) m.triangles.push_back({f[0], f[k - 1], f[k]});
  return m;
}

// Trees of hulls are kept in `trees`, which has to live as long as the part.
ShapePart part_of(const ConvexPart& p, std::deque<TriangleTree>& trees) {
  using enum ConvexPart::Kind;
  const Vec3d &a = p.points.front(), &b = p.points.back();
  switch (p.kind) {
    case sphere:
    case capsule:
      return {.kind = ShapePart::Kind::capsule, .a = a, .b = b, .radius = p.radius};
    case cylinder:
      return {.kind = ShapePart::Kind::cylinder, .a = a, .b = b, .radius = p.radius};
    case box:
      return part_of_box(p);
    case hull:
      break;
  }
  trees.emplace_back(surface_of_hull(p));
  return {.kind = ShapePart::Kind::mesh,
          .tree = &trees.back(),
          .normals = PseudoNormals(trees.back().mesh())};
}

}  // namespace

// Postfix: the union of all parts.
std::vector<ShapePart> parts_of(const BodyShape& shape, std::deque<TriangleTree>& trees) {
  std::vector<ShapePart> all;
  for (const ConvexPart& p : shape.parts) {
    all.push_back(part_of(p, trees));
    if (all.size() > 1) all.push_back({.kind = ShapePart::Kind::least});
  }
  return all;
}

}  // namespace rtsim
