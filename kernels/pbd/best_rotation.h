#pragma once
#include <cmath>

#include "base/types.h"

namespace rtsim::pbd {

// The rotation R that makes sum m (x - R q)^2 least, from A = sum m x q^T: the eigenvector of the
// largest eigenvalue of a symmetric matrix of A, as a unit quaternion (Horn, "Closed-form Solution
// of Absolute Orientation Using Unit Quaternions", JOSA A 1987, sec. 4). It is a proper rotation
// whatever A is: of flat points the two sides are told apart, mirrored ones are turned as well as
// can be; of points on a line, the turn about the line is any.
struct BestRotation {
  double r[3][3];

  RTSIM_HD static BestRotation of(const double a[3][3]) {
    double n[4][4] = {
        {a[0][0] + a[1][1] + a[2][2], a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]},
        {0, a[0][0] - a[1][1] - a[2][2], a[0][1] + a[1][0], a[0][2] + a[2][0]},
        {0, 0, a[1][1] - a[0][0] - a[2][2], a[1][2] + a[2][1]},
        {0, 0, 0, a[2][2] - a[0][0] - a[1][1]}};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) n[i][j] = n[j][i];
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 10; ++sweep)
      for (int p = 0; p < 3; ++p)
        for (int q = p + 1; q < 4; ++q) annihilate(n, v, p, q);
    int best = 0;
    for (int k = 1; k < 4; ++k)
      if (n[k][k] > n[best][best]) best = k;
    return from(v[0][best], v[1][best], v[2][best], v[3][best]);
  }

 private:
  // A rotation of Jacobi's that makes n[p][q] zero, noted in v.
  RTSIM_HD static void annihilate(double n[4][4], double v[4][4], int p, int q) {
    if (n[p][q] == 0) return;
    const double theta = (n[q][q] - n[p][p]) / (2 * n[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; ++k) {
      const double a = n[k][p], b = n[k][q];
      n[k][p] = c * a - s * b, n[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 4; ++k) {
      const double a = n[p][k], b = n[q][k];
      n[p][k] = c * a - s * b, n[q][k] = s * a + c * b;
      const double d = v[k][p], e = v[k][q];
      v[k][p] = c * d - s * e, v[k][q] = s * d + c * e;
    }
  }
  RTSIM_HD static BestRotation from(double w, double x, double y, double z) {
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  }
};

}  // namespace rtsim::pbd
