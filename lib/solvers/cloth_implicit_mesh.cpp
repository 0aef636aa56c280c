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

// Whether small strains cost the same along all directions. With w = r (1 + e) the energy is
// r^2 / 2 (k_u e_uu^2 + k_v e_vv^2 + 4 r^2 k_s e_uv^2), to be k r^2 / 2 |e|^2.
bool same_all_ways(const ClothImplicitParams& p) {
  const double k = p.stretch_stiffness, r = p.warp_length;
  return p.weft_stiffness.value_or(k) == k && p.weft_length == r &&
         std::abs(2 * r * r * p.shear_stiffness - k) <= 1e-6 * k;
}

// Whether the warp all but stands on a triangle with the normal n: no more than 6 degrees off.
bool stands_on(const Vec3d& warp, const Vec3d& n) { return norm(cross(n, warp)) < 0.1; }

void refuse_across(const std::string& mesh, const Vec3d& warp, std::size_t across, std::size_t of) {
  throw Error(ExitCode::bad_input,
              fmt::format("{} of the {} triangles of '{}' lie across its warp [{}, {}, {}], which "
                          "then has no direction in them; give a \"warp\" that lies in the cloth, "
                          "or make it alike in all directions by a \"shear_stiffness\" of half the "
                          "\"stretch_stiffness\"",
                          across, of, mesh, warp[0], warp[1], warp[2]));
}

// Where the warp stands on the triangle, its first edge is taken for the warp: for cloth that is
// alike in all directions.
cloth::TriangleRest<double> rest_of(const Vec3d& warp, const Vec3d& d1, const Vec3d& d2) {
  const Vec3d cut = cross(d1, d2), n = unit(cut),
              v = unit(cross(n, stands_on(warp, n) ? d1 : warp)), u = cross(v, n);
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
  std::size_t across = 0;
  for (const auto& t : triangles) {
    const Vec3d x0 = rest[std::size_t(t[0])], d1 = rest[std::size_t(t[1])] - x0,
                d2 = rest[std::size_t(t[2])] - x0;
    if (stands_on(warp, unit(cross(d1, d2)))) ++across;
    const auto r = rest_of(warp, d1, d2);
    list.push_back({Real(r.a1), Real(r.a2), Real(r.b1), Real(r.b2), Real(r.area)});
  }
  if (across > 0 && !same_all_ways(p_)) refuse_across(p_.mesh.name, warp, across, triangles.size());
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
