#include "shapes/velocity_within.h"

#include <utility>

namespace rtsim {

std::vector<double> shares_of_area(const TriangleMesh& m) {
  std::vector<double> share(m.vertices.size());
  for (const auto& t : m.triangles) {
    const Vec3d& a = m.vertices[std::size_t(t[0])];
    const double area =
        norm(cross(m.vertices[std::size_t(t[1])] - a, m.vertices[std::size_t(t[2])] - a));
    for (const std::int32_t c : t) share[std::size_t(c)] += area;
  }
  return share;
}

namespace {

Vec3d mean(const std::vector<Vec3d>& values, const std::vector<double>& weight) {
  Vec3d sum;
  double all = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum = sum + weight[i] * values[i], all += weight[i];
  return all > 0 ? (1 / all) * sum : Vec3d{};
}

// The least squares' A = S M^-1, with S = sum w u d^T and M = sum w d d^T of places d and
// velocities u about their means. A mesh without thickness, whose M has no inverse, gets none.
LinearVelocity fitted(const TriangleMesh& m, const std::vector<Vec3d>& v) {
  const std::vector<double> weight = shares_of_area(m);
  LinearVelocity f{mean(m.vertices, weight), mean(v, weight), {}};
  Vec3d s[3], second[3];
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Vec3d d = m.vertices[i] - f.centre, u = v[i] - f.velocity;
    for (int a = 0; a < 3; ++a) {
      s[a] = s[a] + (weight[i] * u[a]) * d;
      second[a] = second[a] + (weight[i] * d[a]) * d;
    }
  }
  const double trace = second[0][0] + second[1][1] + second[2][2];
  const double det = dot(second[0], cross(second[1], second[2]));
  if (!(det > 1e-14 * trace * trace * trace)) return f;
  for (int a = 0; a < 3; ++a)
    for (int k = 0; k < 3; ++k)  // M is symmetric: its inverse has these rows
      f.gradient[a][k] = dot(s[a], cross(second[(k + 1) % 3], second[(k + 2) % 3])) / det;
  return f;
}

}  // namespace

Vec3d LinearVelocity::at(const Vec3d& x) const {
  const Vec3d d = x - centre;
  return velocity + Vec3d{{dot(gradient[0], d), dot(gradient[1], d), dot(gradient[2], d)}};
}

VelocityWithin::VelocityWithin(TriangleMesh mesh, std::vector<Vec3d> of_corners)
    : tree_(std::move(mesh)),
      linear_(fitted(tree_.mesh(), of_corners)),
      besides_(std::move(of_corners)) {
  for (std::size_t i = 0; i < besides_.size(); ++i)
    besides_[i] = besides_[i] - linear_.at(tree_.mesh().vertices[i]);
}

Vec3d VelocityWithin::at(const Vec3d& x) const {
  const auto& corner = tree_.mesh().triangles[std::size_t(tree_.nearest(x).triangle)];
  Vec3d p[3];
  for (std::size_t k = 0; k < 3; ++k) p[k] = tree_.mesh().vertices[std::size_t(corner[k])];
  const OnTriangle<double> on = nearest_on_triangle(x, p);
  Vec3d v = linear_.at(x);
  for (int k = 0; k < 3; ++k) v = v + on.weight[k] * besides_[std::size_t(corner[std::size_t(k)])];
  return v;
}

}  // namespace rtsim
