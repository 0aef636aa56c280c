#include "bodies/shapes/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <cmath>

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

}  // namespace rtsim
