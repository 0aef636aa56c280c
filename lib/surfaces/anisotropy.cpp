#include "surfaces/anisotropy.h"

#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace rtsim {

namespace {

constexpr double r = kernel_radius;
constexpr double pi = std::numbers::pi;

// Integral of w over the ball of radius r: the weights of a full neighbourhood.
constexpr double full_weight = 4 * pi / 3 * r * r * r / 2;
// k_s, which makes k_s C the unit matrix in a full neighbourhood: there C = 0.15 r^2.
constexpr double k_s = 1 / (0.15 * r * r);
constexpr double k_r = 4;  // greatest ratio of an ellipsoid's axes, section 4
// Axes of a particle that sees too few for a shape: one alone then has nearly its own volume.
constexpr double k_n = 1.0 / 3;
constexpr int n_eps = 25;  // how many are too few
// |d| of the outermost particles of a flat lattice.
constexpr double flat_offset = 0.69;

double weight(double distance2) {
  const double q2 = distance2 / (r * r);
  return q2 < 1 ? 1 - q2 * std::sqrt(q2) : 0;
}

// Calls body(i, runs) for every point with the runs that hold its neighbours.
template <class F>
void for_points(const PointCells& cells, const F& body) {
  tbb::parallel_for(std::size_t(0), cells.cells(), [&](std::size_t c) {
    const std::vector<PointCells::Run> runs = cells.around(c);
    const PointCells::Run home = cells.points_of(c);
    for (std::size_t i = home.begin; i < home.end; ++i) body(i, runs);
  });
}

// Calls f(j, w_ij) for every neighbour j of a point within r, itself included, in their order.
template <class F>
void for_neighbours(const PointCells& cells, std::size_t i,
                    const std::vector<PointCells::Run>& runs, const F& f) {
  const std::vector<Vec3d>& x = cells.points();
  for (const PointCells::Run& run : runs)
    for (std::size_t j = run.begin; j < run.end; ++j) {
      const Vec3d d = x[j] - x[i];
      const double d2 = dot(d, d);
      if (d2 < r * r) f(j, weight(d2));
    }
}

// 1 for particles at a surface, 0 deep inside.
double surfaceness(const Neighbourhood& n) {
  return std::min(1.0, 2 * norm(n.offset) / flat_offset);
}

// Eq. 6 moves each particle by lambda d_i towards its neighbours' mean, which draws the outermost
// in by 0.7 spacings and the surface by 0.4: a ball of radius ten loses 14 % of its volume. What
// all of a surface has in common is shrinkage, not unevenness: the mean offset of the surface
// particles around is given back,
//   x'_i = x_i + lambda (d_i - s_i sum_j w_ij s_j d_j / sum_j w_ij s_j),
// with s the surfaceness.
Vec3d smoothed(const PointCells& cells, const std::vector<Neighbourhood>& all, std::size_t i,
               const std::vector<PointCells::Run>& runs, double lambda) {
  Vec3d sum;
  double weights = 0;
  for_neighbours(cells, i, runs, [&](std::size_t j, double w) {
    const double ws = w * surfaceness(all[j]);
    sum = sum + ws * all[j].offset;
    weights += ws;
  });
  const Vec3d common = weights > 0 ? (surfaceness(all[i]) / weights) * sum : Vec3d{};
  return cells.points()[i] + lambda * (all[i].offset - common);
}

// C_i = sum_j w_ij (x_j - x^w_i)(x_j - x^w_i)^T / sum_j w_ij, eq. 9, x^w_i = x_i + d_i.
Eigen::Matrix3d covariance(const PointCells& cells, const Neighbourhood& n, std::size_t i,
                           const std::vector<PointCells::Run>& runs) {
  const Vec3d mean = cells.points()[i] + n.offset;
  Eigen::Matrix3d c = Eigen::Matrix3d::Zero();
  double weights = 0;
  for_neighbours(cells, i, runs, [&](std::size_t j, double w) {
    const Vec3d d = cells.points()[j] - mean;
    const Eigen::Vector3d v(d[0], d[1], d[2]);
    c += w * v * v.transpose();
    weights += w;
  });
  return c / weights;
}

// Axes of the ellipsoid over r, eqs. 12-15: k_s sigma_k, none under 1/k_r of the longest.
EllipsoidKernel kernel(const Vec3d& centre, const Eigen::Matrix3d& rotation,
                       const Eigen::Vector3d& axes) {
  const Eigen::Matrix3d g =
      rotation * (r * axes).cwiseInverse().asDiagonal() * rotation.transpose();
  const Eigen::Matrix3d inverse = rotation * (r * axes).asDiagonal() * rotation.transpose();
  // 315 / (64 pi) is one over the integral of (1 - q^2)^3 over the unit ball.
  const double peak = 315 / (64 * pi) / (r * axes).prod();
  EllipsoidKernel k{centre, {g(0, 0), g(0, 1), g(0, 2), g(1, 1), g(1, 2), g(2, 2)}, peak, {}};
  for (int a = 0; a < 3; ++a) k.reach[a] = inverse.row(a).norm();
  return k;
}

EllipsoidKernel kernel_of(const PointCells& cells, const std::vector<Neighbourhood>& all,
                          std::size_t i, const std::vector<PointCells::Run>& runs, double lambda) {
  const Vec3d centre = smoothed(cells, all, i, runs, lambda);
  if (all[i].others <= n_eps)
    return kernel(centre, Eigen::Matrix3d::Identity(), Eigen::Vector3d::Constant(k_n));
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(covariance(cells, all[i], i, runs));
  const Eigen::Vector3d sigma = k_s * eigen.eigenvalues();  // ascending
  return kernel(centre, eigen.eigenvectors(), sigma.cwiseMax(sigma[2] / k_r));
}

}  // namespace

std::vector<Neighbourhood> neighbourhoods(const PointCells& cells) {
  std::vector<Neighbourhood> all(cells.points().size());
  for_points(cells, [&](std::size_t i, const std::vector<PointCells::Run>& runs) {
    Neighbourhood n;
    double weights = 0;
    n.others = -1;
    for_neighbours(cells, i, runs, [&](std::size_t j, double w) {
      n.offset = n.offset + w * (cells.points()[j] - cells.points()[i]);
      weights += w;
      ++n.others;
    });
    n.offset = (1 / weights) * n.offset;
    n.fill = weights / full_weight;
    all[i] = n;
  });
  return all;
}

std::vector<EllipsoidKernel> ellipsoid_kernels(const PointCells& cells,
                                               const std::vector<Neighbourhood>& all,
                                               const std::vector<char>& wanted, double smoothing) {
  std::vector<std::size_t> place(wanted.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) place[i] = wanted[i] ? count++ : 0;
  std::vector<EllipsoidKernel> kernels(count);
  for_points(cells, [&](std::size_t i, const std::vector<PointCells::Run>& runs) {
    if (wanted[i]) kernels[place[i]] = kernel_of(cells, all, i, runs, smoothing);
  });
  return kernels;
}

}  // namespace rtsim
