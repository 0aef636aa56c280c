#pragma once
#include "rigid/joint_blocks.h"
#include "rigid/joint_rows.h"

// A force f at an arm r resists a turn of its body by K = (f r) 1 - (r f^T + f r^T) / 2, the
// geometric stiffness: Andrews, Teichmann & Kry, "Geometric stiffness for real-time constrained
// multibody dynamics", Eurographics 2017. Joints are solved for velocities, which takes f as it is,
// and that bursts where h^2 K > 4 I, as in the links of a chain that bears ten thousand of them.
// Bodies then turn, under their joints alone, as if they had the inertia that they lack.
namespace rtsim::rigid {

// h^2 K / I at most. 4 is the limit of a single turn, but forces between links lag and swing about
// what they are: chains of 100 links that swing with 1e4 times a link's mass burst at 2 and rattle
// at 0.5.
constexpr double most_stiffness = 0.25;

// The positive part of h^2 K / most_stiffness [kg m^2], for an impulse p in h: at most
// (|f| |r| + f r) / 2 across f / |f| + r / |r|.
RTSIM_HD inline void add_ballast(double h, const Vec3d& p, const Vec3d& r, Block<3>& to) {
  const double pr = norm(p) * norm(r);
  if (!(pr > 0)) return;
  const Vec3d u = (1 / norm(p)) * p + (1 / norm(r)) * r;
  const double k = h * 0.5 * (pr + dot(p, r)) / most_stiffness, uu = dot(u, u);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      to.at[i][j] += k * ((i == j ? 1 : 0) - (uu > 1e-12 ? u[i] * u[j] / uu : 0));
}
RTSIM_HD inline void add_ballast(double h, const VecT<double, 2>& p, const VecT<double, 2>& r,
                                 Block<1>& to) {
  const double k = dot(p, r);
  to.at[0][0] += k > 0 ? h * k / most_stiffness : 0;
}

// What is beyond the least of the body's own moments; nothing where that is enough.
template <int N>
RTSIM_HD void keep_excess(const VecT<double, N>& moments, Block<N>& ballast) {
  double least = moments[0], all = 0;
  for (int k = 0; k < N; ++k) {
    least = moments[k] < least ? moments[k] : least;
    all += ballast.at[k][k];
  }
  const double share = all > least ? 1 - least / all : 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) ballast.at[i][j] *= share;
}

}  // namespace rtsim::rigid
