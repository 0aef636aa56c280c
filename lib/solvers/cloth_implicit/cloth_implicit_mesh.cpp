#include "solvers/cloth_implicit/cloth_implicit_mesh.h"

#include <fmt/format.h>

#include <cmath>

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

Vec3d unit(const Vec3d& v) { return 1 / norm(v) * v; }

std::vector<CellMesh::Triangle> triangles_of(World& world, const std::string& mesh) {
  auto triangles = corners_of<3>(world, triangle_table(mesh));
  if (triangles.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has no triangles, which cloth is made of; take a sheet or a "
                            "surface, or the stage \"xpbd\" for ropes",
                            mesh));
  return triangles;
}

Vec3d warp_of(const ClothImplicitParams& p, const Object& mesh, const std::vector<Vec3d>& rest) {
  if (norm(p.warp) > 0) return unit(p.warp);
  if (mesh.sheet[0] > 1) return unit(rest[1] - rest[0]);
  return {{0, 1, 0}};
}

// In triangles that all but lie across the warp, no more than 6 degrees off, the weft runs along
// the axis that the warp is least along: no thread's way may hang on rounding, or on the order of
// corners.
Vec3d weft_of(const Vec3d& warp, const Vec3d& n) {
  const Vec3d along = cross(n, warp);
  if (norm(along) > 0.1) return unit(along);
  Vec3d axis;
  int least = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(warp[a]) < std::abs(warp[least])) least = a;
  axis[least] = 1;
  return unit(axis - dot(axis, n) * n);
}

cloth::TriangleRest<double> rest_of(const Vec3d& warp, const Vec3d& d1, const Vec3d& d2) {
  const Vec3d cut = cross(d1, d2), n = unit(cut), v = weft_of(warp, n), u = cross(v, n);
  const double twice = norm(cut);
  return {dot(d2, v) / twice, -dot(d1, v) / twice, -dot(d2, u) / twice, dot(d1, u) / twice,
          0.5 * twice};
}

std::vector<Vec3d> positions(World& world, const std::string& mesh) {
  std::vector<Vec3d> all;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) all.push_back(widen(x));
  return all;
}

}  // namespace

ClothMesh::ClothMesh(const ClothImplicitParams& p, World& world)
    : p_(p), triangles_(world.exec), rest_(world.exec), first_(world.exec), corners_(world.exec) {
  const std::vector<Vec3d> points = positions(world, p.mesh.name);
  const Vec3d warp = warp_of(p, world.object(p.mesh.name), points);
  const auto triangles = triangles_of(world, p.mesh.name);
  std::vector<cloth::Corners3> corners;
  std::vector<cloth::TriangleRest<Real>> rest;
  for (const auto& t : triangles) {
    const Vec3d x0 = points[std::size_t(t[0])], d1 = points[std::size_t(t[1])] - x0,
                d2 = points[std::size_t(t[2])] - x0;
    const auto r = rest_of(warp, d1, d2);
    rest.push_back({Real(r.a1), Real(r.a2), Real(r.b1), Real(r.b2), Real(r.area)});
    corners.push_back({{t[0], t[1], t[2]}});
  }
  triangles_.upload(corners), rest_.upload(rest);
  const Incidence around = incidence_of(points.size(), triangles);
  first_.upload(around.first), corners_.upload(around.slots);
}

cloth::Mesh ClothMesh::view() const {
  return {triangles_.span(), rest_.span(), first_.span(), corners_.span()};
}

cloth::Fabric<Real> ClothMesh::fabric(double h) const {
  return {Real(p_.stretch_stiffness), Real(p_.weft_stiffness.value_or(p_.stretch_stiffness)),
          Real(p_.shear_stiffness),   Real(p_.warp_length),
          Real(p_.weft_length),       Real(p_.damping / h)};
}

std::optional<PlatePatches> plates_of(const ClothImplicitParams& p, World& world) {
  if (!(p.bending_stiffness > 0)) return {};
  return PlatePatches(positions(world, p.mesh.name),
                      corners_of<3>(world, triangle_table(p.mesh.name)),
                      p.rest_shape == RestShape::flat);
}

}  // namespace rtsim
