#include "shapes/surface_motion.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "shapes/velocity_within.h"

namespace rtsim {

namespace {

constexpr int unknowns = 12;  // a, and the rows of B
using Row = Eigen::Matrix<double, unknowns, 1>;
using Square = Eigen::Matrix<double, unknowns, unknowns>;

// Of n . u(x), x in lengths of the surface about its middle.
Row row_of(const Vec3d& x, const Vec3d& n) {
  Row r;
  for (int i = 0; i < 3; ++i) {
    r[i] = n[i];
    for (int k = 0; k < 3; ++k) r[3 + 3 * i + k] = n[i] * x[k];
  }
  return r;
}

Vec3d shown(const Row& u, const Vec3d& x) {
  Vec3d v;
  for (int i = 0; i < 3; ++i) {
    v[i] = u[i];
    for (int k = 0; k < 3; ++k) v[i] += u[3 + 3 * i + k] * x[k];
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

  // The least motion of those that fit as well.
  Square m = 1e-7 * Square::Identity();
  Row b = Row::Zero();
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Row r = row_of(place(c), normals[c]);
    m += weight[c] / all * r * r.transpose();
    b += weight[c] / all * along[c] * r;
  }
  const Row u = m.llt().solve(b);

  std::vector<Vec3d> motion;
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Vec3d v = shown(u, place(c));
    motion.push_back(v + (along[c] - dot(v, normals[c])) * normals[c]);
  }
  return motion;
}

}  // namespace rtsim
