#include "bodies/shapes/part_surface.h"

#include <cmath>

#include "bodies/shapes/body_shape.h"
#include "bodies/shapes/convex_parts.h"
#include "rigid/body.h"
#include "shapes/rotation.h"

namespace rtsim {

namespace {

constexpr int around = 24;  // points of a circle

// Two directions across the axis.
void across(const Vec3d& axis, Vec3d& u, Vec3d& v) {
  const Vec3d n = (1 / norm(axis)) * axis;
  const int least = std::abs(n[0]) < std::abs(n[1]) ? (std::abs(n[0]) < std::abs(n[2]) ? 0 : 2)
                                                    : (std::abs(n[1]) < std::abs(n[2]) ? 1 : 2);
  Vec3d e;
  e[least] = 1;
  u = cross(n, e);
  u = (1 / norm(u)) * u;
  v = cross(n, u);
}

void add_circle(std::vector<Vec3d>& points, const Vec3d& centre, const Vec3d& u, const Vec3d& v,
                double radius) {
  for (int k = 0; k < around; ++k) {
    const double t = 2 * pi * k / around;
    points.push_back(centre + (radius * std::cos(t)) * u + (radius * std::sin(t)) * v);
  }
}

// Circles of latitude from the equator to `pole`, which points out of the end.
void add_cap(std::vector<Vec3d>& points, const Vec3d& end, const Vec3d& pole, double radius) {
  constexpr int circles = around / 4;
  Vec3d u, v;
  across(pole, u, v);
  const Vec3d n = (1 / norm(pole)) * pole;
  for (int k = 0; k < circles; ++k) {
    const double t = pi / 2 * k / circles;
    add_circle(points, end + (radius * std::sin(t)) * n, u, v, radius * std::cos(t));
  }
  points.push_back(end + radius * n);
}

std::vector<Vec3d> points_in_space(const ConvexPart& p) {
  const Vec3d& a = p.points[0];
  std::vector<Vec3d> points;
  switch (p.kind) {
    case ConvexPart::Kind::sphere:
      for (const Vec3d& x : points_of_ellipsoid({{p.radius, p.radius, p.radius}}, 3))
        points.push_back(a + x);
      return points;
    case ConvexPart::Kind::capsule:
      add_cap(points, a, a - p.points[1], p.radius);
      add_cap(points, p.points[1], p.points[1] - a, p.radius);
      return points;
    case ConvexPart::Kind::cylinder: {
      Vec3d u, v;
      across(p.points[1] - a, u, v);
      add_circle(points, a, u, v, p.radius);
      add_circle(points, p.points[1], u, v, p.radius);
      return points;
    }
    default:
      return p.points;
  }
}

std::vector<Vec3d> points_in_the_plane(const ConvexPart& p) {
  if (p.radius == 0) return p.points;
  std::vector<Vec3d> points;
  for (const Vec3d& x : p.points) add_circle(points, x, {{1, 0, 0}}, {{0, 1, 0}}, p.radius);
  return points;
}

void add_fan(TriangleMesh& mesh, const std::vector<int>& face) {
  for (std::size_t k = 1; k + 1 < face.size(); ++k)
    mesh.triangles.push_back({face[0], face[k], face[k + 1]});
}

}  // namespace

std::vector<Vec3d> points_of_ellipsoid(const Vec3d& radii, int dim) {
  std::vector<Vec3d> points;
  if (dim == 2) {
    add_circle(points, {}, {{radii[0], 0, 0}}, {{0, radii[1], 0}}, 1);
    return points;
  }
  constexpr int circles = around / 4;
  for (int k = 1 - circles; k < circles; ++k) {
    const double t = pi / 2 * k / circles;
    add_circle(points, {{0, radii[1] * std::sin(t), 0}}, {{radii[0], 0, 0}}, {{0, 0, radii[2]}},
               std::cos(t));
  }
  for (const double pole : {-radii[1], radii[1]}) points.push_back({{0, pole, 0}});
  return points;
}

TriangleMesh surface_of(const ConvexPart& part, int dim) {
  const bool corners = part.kind == ConvexPart::Kind::hull || part.kind == ConvexPart::Kind::box;
  TriangleMesh mesh;
  if (corners && dim == 3) {
    mesh.vertices = part.points;
    for (const auto& face : part.faces) add_fan(mesh, face);
    return mesh;
  }
  const ConvexHull hull =
      convex_hull(dim == 2 ? points_in_the_plane(part) : points_in_space(part), dim);
  mesh.vertices = hull.corners;
  for (const auto& face : hull.faces) add_fan(mesh, face);
  for (int k = 1; dim == 2 && k + 1 < int(hull.corners.size()); ++k)
    mesh.triangles.push_back({0, k, k + 1});
  return mesh;
}

void append(TriangleMesh& to, const TriangleMesh& mesh) {
  const auto first = std::int32_t(to.vertices.size());
  to.vertices.insert(to.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
  for (const auto& t : mesh.triangles)
    to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

namespace {

const BodyShape& shape_of(const Object& object, std::int32_t shape) {
  return object.bodies->shapes[std::size_t(shape)];
}

template <int D>
PosedSurface pose(World& world, const Object& object) {
  Table& t = world.table(object.name);
  const auto position = t.download<Vec<D>>("position");
  const auto orientation = t.download<rigid::Orientation<D>>("orientation");
  const auto shape = t.download<std::int32_t>("shape");
  PosedSurface s;
  for (std::size_t b = 0; b < shape.size(); ++b) {
    const BodyShape& own = shape_of(object, shape[b]);
    const auto first = std::int32_t(s.points.size() / 3);
    for (const Vec3d& v : own.vertices) {
      const Vec<D> x = position[b] + turned(orientation[b], narrow<D>(v));
      for (int a = 0; a < 3; ++a) s.points.push_back(a < D ? x[a] : 0);
    }
    for (const auto& corners : own.triangles) {
      for (const int c : corners) s.triangles.push_back(first + c);
      s.body.push_back(std::int32_t(b));
    }
  }
  return s;
}

}  // namespace

PosedSurface posed_surface(World& world, const Object& object) {
  return world.dim == 2 ? pose<2>(world, object) : pose<3>(world, object);
}

std::size_t bytes_of_surface(World& world, const Object& object) {
  std::size_t bytes = 0;
  for (const std::int32_t shape : world.table(object.name).download<std::int32_t>("shape")) {
    const BodyShape& own = shape_of(object, shape);
    bytes += own.vertices.size() * 3 * sizeof(Real) + own.triangles.size() * 4 * sizeof(int);
  }
  return bytes;
}

}  // namespace rtsim
