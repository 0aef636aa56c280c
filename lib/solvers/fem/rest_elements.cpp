#include "solvers/fem/rest_elements.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "meshes/adjacency.h"

namespace rtsim {

namespace {

// Of a volume over that of a regular tetrahedron with the same mean square edge: below it an
// element is flat, and its gradients nothing but rounding.
constexpr double flat_element = 1e-5;

template <std::size_t N>
std::vector<ElementNodes> lists_of(const std::vector<std::array<CellMesh::Corner, N>>& cells) {
  std::vector<ElementNodes> all;
  for (const auto& c : cells) all.emplace_back(c.begin(), c.end());
  return all;
}

[[noreturn]] void refuse_element(const std::string& mesh, std::size_t e,
                                 const ElementNodes& corners, const char* what) {
  throw Error(
      ExitCode::bad_input,
      fmt::format("element {} of '{}', of the points {}, {}; mend the mesh", e, mesh,
                  fmt::join(corners.begin(), corners.begin() + (is_flat(corners) ? 3 : 4), ", "),
                  what));
}

fem::ElementRest<double> tet_at_rest(const Vec3d* x, double& shape) {
  Eigen::Matrix3d edges;
  double squares = 0;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) edges(a, k) = x[k + 1][a] - x[0][a];
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) squares += dot(x[j] - x[i], x[j] - x[i]) / 6;
  const double volume = edges.determinant() / 6;
  shape = volume / (std::pow(squares, 1.5) / (6 * std::sqrt(2.)));
  const Eigen::Matrix3d inverse = edges.inverse();
  fem::ElementRest<double> rest;
  for (int k = 0; k < 3; ++k)
    for (int a = 0; a < 3; ++a) rest.g[k][a] = inverse(k, a);
  rest.volume = volume;
  return rest;
}

fem::ElementRest<double> triangle_at_rest(const Vec3d* x, double& shape) {
  const Vec3d p = x[1] - x[0], q = x[2] - x[0], r = x[2] - x[1];
  const double twice = p[0] * q[1] - p[1] * q[0];
  shape = 2 * std::sqrt(3.) * std::abs(twice) / (dot(p, p) + dot(q, q) + dot(r, r));
  fem::ElementRest<double> rest{};
  rest.g[0] = {{q[1] / twice, -q[0] / twice, 0}};
  rest.g[1] = {{-p[1] / twice, p[0] / twice, 0}};
  rest.volume = std::abs(twice) / 2;
  return rest;
}

void require_plane(const std::string& mesh, const std::vector<Vec3d>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i][2] != points[0][2])
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' has triangles and no tetrahedra, and point {} lies off the "
                              "plane z = {}: elements of triangles are plane strain in x and y; "
                              "take a \"block\" or a \"solid\", or \"cloth_implicit\" for shells "
                              "that bend",
                              mesh, i, points[0][2]));
}

}  // namespace

std::vector<ElementNodes> elements_of(World& world, const std::string& mesh) {
  const bool flat = !world.has_table(tet_table(mesh));
  if (!world.has_table(element_table(mesh))) {
    if (!flat) return lists_of(corners_of<4>(world, tet_table(mesh)));
    std::vector<ElementNodes> all = lists_of(corners_of<3>(world, triangle_table(mesh)));
    for (ElementNodes& e : all) e.push_back(e[0]);
    return all;
  }
  if (!flat) return lists_of(corners_of<10>(world, element_table(mesh)));
  std::vector<ElementNodes> all;
  for (const auto& t : corners_of<6>(world, element_table(mesh)))
    all.push_back({t[0], t[1], t[2], t[0], t[3], t[4], t[0], t[5], t[0], t[0]});
  return all;
}

RestElements rest_elements(World& world, const std::string& mesh) {
  std::vector<Vec3d> points;
  for (const Vec<3>& x : world.table(mesh).download<Vec<3>>("position")) points.push_back(widen(x));
  RestElements all{elements_of(world, mesh), {}, !world.has_table(tet_table(mesh))};
  if (all.nodes.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' has neither tetrahedra nor triangles, which elements are made "
                            "of; take a \"block\" or a \"solid\", or \"xpbd\" for ropes",
                            mesh));
  if (all.flat) require_plane(mesh, points);
  for (std::size_t e = 0; e < all.nodes.size(); ++e) {
    Vec3d x[4];
    for (std::size_t k = 0; k < 4; ++k) x[k] = points[std::size_t(all.nodes[e][k])];
    double shape = 0;
    all.rest.push_back(all.flat ? triangle_at_rest(x, shape) : tet_at_rest(x, shape));
    if (shape < 0) refuse_element(mesh, e, all.nodes[e], "is inside out");
    if (!(shape > flat_element)) refuse_element(mesh, e, all.nodes[e], "is flat");
  }
  return all;
}

void refuse_locked(const RestElements& all, double poissons_ratio) {
  constexpr double locked = 0.49;
  if (poissons_ratio > locked && all.nodes[0].size() == 4)
    throw Error(ExitCode::bad_input,
                fmt::format("\"poissons_ratio\" {} with linear elements, which keep their volumes "
                            "one by one: they lock, and bend many times too little; take at most "
                            "{}, or \"order\": 2 of the mesh",
                            poissons_ratio, locked));
}

}  // namespace rtsim
