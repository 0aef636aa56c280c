#include "bodies/shapes/solid.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "bodies/shapes/convex_parts.h"
#include "bodies/shapes/part_surface.h"
#include "shapes/mesh_text.h"
#include "shapes/weld.h"

namespace rtsim {

namespace {

using Tensor = std::array<Vec3d, 3>;

Tensor diagonal(const Vec3d& d) {
  Tensor t = {};
  for (int i = 0; i < 3; ++i) t[std::size_t(i)][i] = d[i];
  return t;
}

// sum += s a a^T
void add_square(Tensor& sum, double s, const Vec3d& a) {
  for (int i = 0; i < 3; ++i) sum[std::size_t(i)] = sum[std::size_t(i)] + (s * a[i]) * a;
}

// Integrals of 1, x and x x^T about a point near the solid, as moments about its centre:
// int (x - c)(x - c)^T = int x x^T - V c c^T.
Moments about_centre(const Vec3d& origin, double volume, const Vec3d& first, Tensor second) {
  if (volume == 0) return {0, origin, {}};
  const Vec3d c = (1 / volume) * first;
  add_square(second, -volume, c);
  return {volume, origin + c, second};
}

}  // namespace

Moments moments_of_box(const Vec3d& half, int dim) {
  double volume = 1;
  Vec3d c;
  for (int a = 0; a < dim; ++a) volume *= 2 * half[a];
  for (int a = 0; a < dim; ++a) c[a] = volume * half[a] * half[a] / 3;
  return {volume, {}, diagonal(c)};
}

// Of a ball r^2/5 along each axis, of a disc r^2/4.
Moments moments_of_ellipsoid(const Vec3d& radii, int dim) {
  double volume = dim == 2 ? pi : 4 * pi / 3;
  Vec3d c;
  for (int a = 0; a < dim; ++a) volume *= radii[a];
  for (int a = 0; a < dim; ++a) c[a] = volume * radii[a] * radii[a] / (dim + 2);
  return {volume, {}, diagonal(c)};
}

Moments moments_of_cylinder(double length, double radius, int dim) {
  if (dim == 2) return moments_of_box({{length / 2, radius, 0}}, 2);
  const double volume = pi * radius * radius * length, across = volume * radius * radius / 4;
  return {volume, {}, diagonal({{volume * length * length / 12, across, across}})};
}

// The halves of a ball have their centres of mass 3/8 r from the cut, those of a disc 4/(3 pi) r:
// along the axis int (L/2 + s)^2 = V (L^2/4 + L <s>) + int s^2.
Moments moments_of_capsule(double length, double radius, int dim) {
  const Moments ends = moments_of_ellipsoid({{radius, radius, radius}}, dim);
  const double out = radius * (dim == 2 ? 4 / (3 * pi) : 3.0 / 8);
  Moments m = moments_of_cylinder(length, radius, dim);
  for (std::size_t a = 0; a < 3; ++a) m.second[a] = m.second[a] + ends.second[a];
  m.second[0][0] += ends.volume * (length * length / 4 + length * out);
  m.volume += ends.volume;
  return m;
}

// Tetrahedra from a common corner: D. Eberly, "Polyhedral mass properties (revisited)", Geometric
// Tools, 2002, in a symmetric form: of the one with corners 0, a, b, c and six volumes
// d = a . (b x c), with s = a + b + c:
//   int 1 = d/6,  int x = d/24 s,  int x x^T = d/120 (s s^T + a a^T + b b^T + c c^T).
Moments moments_of_mesh(const TriangleMesh& mesh) {
  const Vec3d origin = mesh.vertices[std::size_t(mesh.triangles[0][0])];
  double six = 0;
  Vec3d first;
  Tensor second = {};
  for (const auto& t : mesh.triangles) {
    Vec3d x[3];
    for (int k = 0; k < 3; ++k) x[k] = mesh.vertices[std::size_t(t[std::size_t(k)])] - origin;
    const double d = dot(x[0], cross(x[1], x[2]));
    const Vec3d s = x[0] + x[1] + x[2];
    six += d, first = first + (d / 24) * s;
    add_square(second, d / 120, s);
    for (const Vec3d& v : x) add_square(second, d / 120, v);
  }
  return about_centre(origin, six / 6, first, second);
}

// Likewise by triangles 0, a, b with d = a x b and s = a + b: d/2, d/6 s, d/24 (s s^T + ...).
Moments moments_of_polygon(const std::vector<Vec3d>& corners) {
  const Vec3d origin = corners[0];
  double two = 0;
  Vec3d first;
  Tensor second = {};
  for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
    Vec3d a = corners[j] - origin, b = corners[i] - origin;
    a[2] = b[2] = 0;
    const double d = a[0] * b[1] - a[1] * b[0];
    two += d, first = first + (d / 6) * (a + b);
    for (const Vec3d& v : {a + b, a, b}) add_square(second, d / 24, v);
  }
  return about_centre(origin, two / 2, first, second);
}

// Steiner's theorem for both: the distance d of the centres adds Va Vb / (Va + Vb) d d^T.
Moments combined(const Moments& a, const Moments& b) {
  if (a.volume == 0) return b;
  const double volume = a.volume + b.volume;
  const Vec3d d = b.centre - a.centre;
  Moments sum{volume, a.centre + (b.volume / volume) * d, a.second};
  for (std::size_t i = 0; i < 3; ++i) sum.second[i] = sum.second[i] + b.second[i];
  add_square(sum.second, a.volume * b.volume / volume, d);
  return sum;
}

Moments placed(const Moments& m, const Rotation& r, const Vec3d& shift, double scale, int dim) {
  const double s = std::pow(scale, dim);
  Moments out{s * m.volume, shift + r.apply(scale * m.centre), {}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        out.second[std::size_t(i)][j] +=
            s * scale * scale * r.row[i][k] * dot(m.second[std::size_t(k)], r.row[j]);
  return out;
}

PrincipalAxes principal_axes(const Moments& m, int dim) {
  Eigen::MatrixXd c(dim, dim);
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      c(i, j) = (m.second[std::size_t(i)][j] + m.second[std::size_t(j)][i]) / (2 * m.volume);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(c);
  const double shortest = std::max(solver.eigenvalues()(0), 0.0);
  PrincipalAxes p{{}, {}, std::sqrt(shortest / solver.eigenvalues()(dim - 1))};
  if (dim == 2) {
    p.moments[2] = c.trace();
    return p;
  }
  Eigen::Vector3d along = c.diagonal();
  const Eigen::MatrixXd products = c - Eigen::MatrixXd(along.asDiagonal());
  if (products.cwiseAbs().maxCoeff() > 1e-9 * c.trace()) {
    Eigen::Matrix3d axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) *= -1;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) p.axes.row[i][j] = axes(i, j);
    along = solver.eigenvalues();
  }
  for (int a = 0; a < 3; ++a) p.moments[a] = along.sum() - along(a);
  return p;
}

namespace {

using SolidPart = ConvexPart::Kind;

Solid of_part(ConvexPart part, const Moments& moments, int dim) {
  Solid s{{std::move(part)}, {}, moments, 0};
  s.surface = surface_of(s.parts[0], dim);
  return s;
}

// Turns what was made along x about the origin to stand between a and b.
void stand(Solid& s, const Vec3d& a, const Vec3d& b, int dim) {
  const Vec3d way = b - a, x{{1, 0, 0}};
  Vec3d axis = cross(x, way);
  if (norm(axis) == 0) axis = {{0, 0, 1}};
  place(s, rotation_about(axis, std::atan2(norm(cross(x, way)), way[0])), 0.5 * (a + b), 1, dim);
}

Vec3d flat(Vec3d x, int dim) {
  if (dim == 2) x[2] = 0;
  return x;
}

Solid centred_box(const Vec3d& half, int dim) {
  ConvexPart part{SolidPart::box, {}, {}};
  for (int k = 0; k < (1 << dim); ++k) {
    const bool right = dim == 2 ? k == 1 || k == 2 : k & 1;
    part.points.push_back(
        flat({{right ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]}},
             dim));
  }
  if (dim == 3)
    part.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return of_part(std::move(part), moments_of_box(half, dim), dim);
}

Solid box(const BoxSpec& b, int dim) {
  Solid s = centred_box(flat(0.5 * (b.max - b.min), dim), dim);
  place(s, {}, flat(0.5 * (b.max + b.min), dim), 1, dim);
  return s;
}

Solid ball(const Vec3d& centre, double radius, int dim) {
  Solid s = of_part({SolidPart::sphere, {{}}, {}, radius},
                    moments_of_ellipsoid({{radius, radius, radius}}, dim), dim);
  place(s, {}, flat(centre, dim), 1, dim);
  return s;
}

Solid capsule(const CapsuleSpec& c, int dim) {
  const Vec3d a = flat(c.a, dim), b = flat(c.b, dim);
  const double length = norm(b - a);
  if (length == 0) return ball(a, c.radius, dim);
  Solid s =
      of_part({SolidPart::capsule, {{{-length / 2, 0, 0}}, {{length / 2, 0, 0}}}, {}, c.radius},
              moments_of_capsule(length, c.radius, dim), dim);
  stand(s, a, b, dim);
  return s;
}

Solid cylinder(const CylinderSpec& c, int dim) {
  const Vec3d a = flat(c.a, dim), b = flat(c.b, dim);
  const double length = norm(b - a);
  Solid s =
      dim == 2
          ? centred_box({{length / 2, c.radius, 0}}, 2)
          : of_part(
                {SolidPart::cylinder, {{{-length / 2, 0, 0}}, {{length / 2, 0, 0}}}, {}, c.radius},
                moments_of_cylinder(length, c.radius, dim), dim);
  stand(s, a, b, dim);
  return s;
}

ConvexPart hull_part(const std::vector<Vec3d>& points, int dim, int most) {
  ConvexHull hull = convex_hull(points, dim);
  if (dim == 3) hull = simplified(hull, most);
  return {SolidPart::hull, std::move(hull.corners), std::move(hull.faces)};
}

double volume_of(const ConvexPart& hull, int dim) {
  return dim == 2 ? moments_of_polygon(hull.points).volume
                  : moments_of_mesh(surface_of(hull, dim)).volume;
}

Solid with_added(Solid s, int dim) {
  s.added = -s.moments.volume;
  for (const ConvexPart& part : s.parts) s.added += volume_of(part, dim);
  return s;
}

// Mass from the closed form, contact and looks from the hull of points on it.
Solid ellipsoid(const EllipsoidSpec& e, int dim, int hull_corners) {
  Solid s = with_added(of_part(hull_part(points_of_ellipsoid(e.radii, dim), dim, hull_corners),
                               moments_of_ellipsoid(e.radii, dim), dim),
                       dim);
  place(s, {}, flat(e.centre, dim), 1, dim);
  return s;
}

std::vector<ConvexPart> hull_parts(const std::vector<std::vector<Vec3d>>& parts, int dim,
                                   int most) {
  std::vector<ConvexPart> hulls;
  for (const std::vector<Vec3d>& points : parts) hulls.push_back(hull_part(points, dim, most));
  return hulls;
}

Solid polygon(const PolygonSpec& p, const Hulls& hulls) {
  Solid s{{}, {p.points, {}}, moments_of_polygon(p.points), 0};
  std::vector<std::int32_t> corners(p.points.size());
  std::iota(corners.begin(), corners.end(), 0);
  if (s.moments.volume < 0) {
    std::ranges::reverse(corners);
    s.moments = moments_of_polygon({p.points.rbegin(), p.points.rend()});
  }
  append_polygon(s.surface, corners);
  s.parts = hull_parts(convex_parts_in_the_plane(s.surface, hulls.parts), 2, 0);
  return with_added(std::move(s), 2);
}

double size_of(const TriangleMesh& mesh) {
  double size = 0;
  for (const Vec3d& x : mesh.vertices) size = std::max(size, norm(x - mesh.vertices[0]));
  return size;
}

bool holds_volume(const TriangleMesh& m) {
  const double size = size_of(m);
  return std::abs(moments_of_mesh(m).volume) >= 1e-12 * size * size * size;
}

// Of a closed surface, of either sense, with the hulls that it touches with.
Solid enclosed(TriangleMesh surface, const Hulls& hulls) {
  if (moments_of_mesh(surface).volume < 0)
    for (auto& t : surface.triangles) std::swap(t[1], t[2]);
  const Moments moments = moments_of_mesh(surface);
  std::vector<ConvexPart> parts = hull_parts(convex_parts(surface, hulls.parts), 3, hulls.corners);
  return with_added({std::move(parts), std::move(surface), moments, 0}, 3);
}

Solid mesh(const ShapeSpec& m, const Hulls& hulls) {
  TriangleMesh surface = read_surface(m);
  drop_doubled(surface);  // they would weigh twice
  const auto fail = [&](const std::string& why) {
    throw Error(ExitCode::bad_input, (m.mesh ? m.mesh->file : m.volume->file).path + ": " + why);
  };
  if (open_edges(surface) > 0)
    fail(
        fmt::format("{}, so the mesh is not closed and has "
                    "no mass; close its holes, or give \"hull\" in place of \"shape\"",
                    tell_open_edges(surface)));
  if (!holds_volume(surface))
    fail(
        fmt::format("the mesh holds {:.3g} m^3 in all, so it has no mass; its triangles must turn "
                    "one way, and its sides not lie on each other",
                    std::abs(moments_of_mesh(surface).volume)));
  return enclosed(std::move(surface), hulls);
}

Solid joined(const std::vector<ShapeSpec>& specs, int dim, const Hulls& hulls) {
  Solid all;
  for (const ShapeSpec& spec : specs) {
    Solid s = make_solid(spec, dim, hulls);
    place(s, rotation_of(spec.transform, dim), flat(spec.transform.translate, dim),
          spec.transform.scale, dim);
    all.parts.insert(all.parts.end(), s.parts.begin(), s.parts.end());
    append(all.surface, s.surface);
    all.moments = combined(all.moments, s.moments);
    all.added += s.added;
  }
  return all;
}

}  // namespace

Rotation rotation_of(const TransformSpec& t, int dim) {
  return rotation_about(dim == 2 ? Vec3d{{0, 0, 1}} : t.axis, t.angle * pi / 180);
}

void place(Solid& s, const Rotation& r, const Vec3d& shift, double scale, int dim) {
  const auto move = [&](Vec3d& x) { x = shift + r.apply(scale * x); };
  for (ConvexPart& part : s.parts) {
    std::ranges::for_each(part.points, move);
    part.radius *= scale;
  }
  std::ranges::for_each(s.surface.vertices, move);
  s.moments = placed(s.moments, r, shift, scale, dim);
  s.added *= std::pow(scale, dim);
}

Solid make_solid(const ShapeSpec& s, int dim, const Hulls& hulls) {
  if (s.inside) throw Error(ExitCode::bad_input, "\"inside\" has no bounds, so it is no body");
  if (s.box) return box(*s.box, dim);
  if (s.sphere) return ball(s.sphere->centre, s.sphere->radius, dim);
  if (s.capsule) return capsule(*s.capsule, dim);
  if (s.cylinder) return cylinder(*s.cylinder, dim);
  if (s.ellipsoid) return ellipsoid(*s.ellipsoid, dim, hulls.corners);
  if (s.polygon) return polygon(*s.polygon, hulls);
  if (s.mesh || s.volume) return mesh(s, hulls);
  if (!s.any_of.empty()) return joined(s.any_of, dim, hulls);
  throw Error(ExitCode::bad_input,
              "a body is a box, sphere, capsule, cylinder, ellipsoid, polygon, mesh, volume or a "
              "union of these; planes and terrain are boundaries");
}

Solid make_hull(const std::vector<Vec3d>& points, int dim, int hull_corners) {
  ConvexPart part = hull_part(points, dim, hull_corners);
  TriangleMesh surface = surface_of(part, dim);
  const Moments moments = dim == 2 ? moments_of_polygon(part.points) : moments_of_mesh(surface);
  return {{std::move(part)}, std::move(surface), moments, 0};
}

Solid make_hull(const FileName& file, int hull_corners) {
  const TriangleMesh given = read_mesh(std::filesystem::path(file.path));
  TriangleMesh surface = weld(given);
  drop_doubled(surface);
  const bool closed =
      !surface.triangles.empty() && open_edges(surface) == 0 && holds_volume(surface);
  return closed ? enclosed(std::move(surface), {hull_corners, 1})
                : make_hull(given.vertices, 3, hull_corners);
}

}  // namespace rtsim
