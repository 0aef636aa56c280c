#include "solvers/cloth_implicit_mesh.h"

#include <fmt/format.h>

#include <cmath>

#include "cloth_implicit/hinge.h"
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

template <class To, std::size_t N>
std::vector<To> as_corners(const std::vector<std::array<CellMesh::Corner, N>>& cells) {
  std::vector<To> to(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) to[i][int(k)] = cells[i][k];
  return to;
}

}  // namespace

ClothMesh::ClothMesh(const ClothImplicitParams& p, World& world)
    : p_(p),
      triangles_(world.exec),
      triangle_rest_(world.exec),
      hinges_(world.exec),
      hinge_rest_(world.exec),
      first_triangle_(world.exec),
      triangle_corners_(world.exec),
      first_hinge_(world.exec),
      hinge_corners_(world.exec) {
  std::vector<Vec3d> rest;
  for (const Vec<3>& x : world.table(p.mesh.name).download<Vec<3>>("position"))
    rest.push_back(widen(x));
  const auto triangles = triangles_of(world, p.mesh.name);
  weave(warp_of(p, world.object(p.mesh.name), rest), rest, triangles);
  fold(rest, triangles);
}

void ClothMesh::weave(const Vec3d& warp, const std::vector<Vec3d>& rest,
                      const std::vector<CellMesh::Triangle>& triangles) {
  std::vector<cloth::TriangleRest<Real>> list;
  for (const auto& t : triangles) {
    const Vec3d x0 = rest[std::size_t(t[0])], d1 = rest[std::size_t(t[1])] - x0,
                d2 = rest[std::size_t(t[2])] - x0;
    const auto r = rest_of(warp, d1, d2);
    list.push_back({Real(r.a1), Real(r.a2), Real(r.b1), Real(r.b2), Real(r.area)});
  }
  triangles_.upload(as_corners<cloth::Corners3>(triangles)), triangle_rest_.upload(list);
  const Incidence around = incidence_of(rest.size(), triangles);
  first_triangle_.upload(around.first), triangle_corners_.upload(around.slots);
}

void ClothMesh::fold(const std::vector<Vec3d>& rest,
                     const std::vector<CellMesh::Triangle>& triangles) {
  const auto hinges = hinges_of(triangles);
  std::vector<cloth::HingeRest> list;
  for (const Hinge& h : hinges) {
    const Vec3d x0 = rest[std::size_t(h[0])], e = rest[std::size_t(h[1])] - x0,
                p = rest[std::size_t(h[2])] - x0, q = rest[std::size_t(h[3])] - x0;
    const double angle = p_.rest_shape == RestShape::flat ? 0 : cloth::hinge(e, p, q).angle;
    const double areas = 0.5 * (norm(cross(e, p)) + norm(cross(e, q)));
    list.push_back({Real(angle), Real(dot(e, e) / areas)});
  }
  hinges_.upload(as_corners<cloth::Corners4>(hinges)), hinge_rest_.upload(list);
  const Incidence around = incidence_of(rest.size(), hinges);
  first_hinge_.upload(around.first), hinge_corners_.upload(around.slots);
}

cloth::Mesh ClothMesh::view() const {
  return {triangles_.span(),   triangle_rest_.span(),  hinges_.span(),
          hinge_rest_.span(),  first_triangle_.span(), triangle_corners_.span(),
          first_hinge_.span(), hinge_corners_.span()};
}

cloth::Material ClothMesh::material(double h) const {
  return {
      {Real(p_.stretch_stiffness), Real(p_.weft_stiffness.value_or(p_.stretch_stiffness)),
       Real(p_.shear_stiffness), Real(p_.warp_length), Real(p_.weft_length), Real(p_.damping / h)},
      Real(p_.bending_stiffness),
      Real(p_.bending_damping / h)};
}

}  // namespace rtsim
