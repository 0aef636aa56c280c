#include "shapes/surface_motion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "shapes/velocity_within.h"

namespace rtsim {

namespace {

constexpr int unknowns = 12;  // a, and the rows of B
using Row = std::array<double, unknowns>;

// Of n . u(x), x in lengths of the surface about its middle.
Row row_of(const Vec3d& x, const Vec3d& n) {
  Row r;
  for (int i = 0; i < 3; ++i) {
    r[std::size_t(i)] = n[i];
    for (int k = 0; k < 3; ++k) r[std::size_t(3 + 3 * i + k)] = n[i] * x[k];
  }
  return r;
}

// By Cholesky's factors; the matrix is positive definite, and its lower half counts.
Row solved(std::array<Row, unknowns> m, Row b) {
  for (std::size_t j = 0; j < unknowns; ++j) {
    for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
    m[j][j] = std::sqrt(m[j][j]);
    for (std::size_t i = j + 1; i < unknowns; ++i) {
      for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
      m[i][j] /= m[j][j];
    }
  }
  for (std::size_t i = 0; i < unknowns; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= m[i][k] * b[k];
    b[i] /= m[i][i];
  }
  for (std::size_t i = unknowns; i-- > 0;) {
    for (std::size_t k = i + 1; k < unknowns; ++k) b[i] -= m[k][i] * b[k];
    b[i] /= m[i][i];
  }
  return b;
}

Vec3d shown(const Row& u, const Vec3d& x) {
  Vec3d v;
  for (int i = 0; i < 3; ++i) {
    v[i] = u[std::size_t(i)];
    for (int k = 0; k < 3; ++k) v[i] += u[std::size_t(3 + 3 * i + k)] * x[k];
  }
  return v;
}

}  // namespace

std::vector<Vec3d> motion_of_surface(const TriangleMesh& surface, const std::vector<Vec3d>& normals,
                                     const std::vector<double>& along) {
  const std::vector<double> weight = shares_of_area(surface);
  const auto& x = surface.vertices;
  double all = 0, size = 0;
  Vec3d middle;
  for (std::size_t c = 0; c < x.size(); ++c) middle = middle + weight[c] * x[c], all += weight[c];
  middle = (1 / all) * middle;
  for (const Vec3d& v : x) size = std::max(size, norm(v - middle));
  const auto place = [&](std::size_t c) { return (1 / size) * (x[c] - middle); };

  std::array<Row, unknowns> m{};
  Row b{};
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Row r = row_of(place(c), normals[c]);
    for (std::size_t i = 0; i < unknowns; ++i) {
      b[i] += weight[c] / all * r[i] * along[c];
      for (std::size_t k = 0; k <= i; ++k) m[i][k] += weight[c] / all * r[i] * r[k];
    }
  }
  for (std::size_t i = 0; i < unknowns; ++i) m[i][i] += 1e-7;  // the least of what fits as well
  const Row u = solved(m, b);

  std::vector<Vec3d> motion;
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Vec3d v = shown(u, place(c));
    motion.push_back(v + (along[c] - dot(v, normals[c])) * normals[c]);
  }
  return motion;
}

}  // namespace rtsim
