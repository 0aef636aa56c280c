#pragma once
#include "base/vec.h"

namespace rtsim {

// Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid" (2013). With
// y = |x| and radii e, the nearest point is e_i^2 y_i / (t + e_i^2) where t is the largest root of
//   G(t) = sum_i (e_i y_i / (t + e_i^2))^2 - 1.
// G is convex and falls, so Newton from a point left of the root never overshoots; s = t + e_min^2
// is the unknown, because it stays accurate when t nears -e_min^2. y_i is kept above 1e-13 e_i: the
// distance then errs by at most that much and no case is degenerate.
class EllipsoidDistance {
 public:
  RTSIM_HD EllipsoidDistance(const Vec3d& radii, int dim)
      : radii_(radii), dim_(dim), smallest_(radii[0]) {
    for (int i = 1; i < dim_; ++i) smallest_ = radii_[i] < smallest_ ? radii_[i] : smallest_;
  }

  // Of x from the centre; `normal`, where it is wanted, is the outward one of the nearest point.
  RTSIM_HD double operator()(const Vec3d& x, Vec3d* normal = nullptr) const {
    Vec3d y;
    double level = -1;
    for (int i = 0; i < dim_; ++i) {
      const double least = 1e-13 * radii_[i], across = x[i] < 0 ? -x[i] : x[i];
      y[i] = across > least ? across : least;
      level += y[i] / radii_[i] * (y[i] / radii_[i]);
    }
    const double s = root(y);
    double d2 = 0;
    Vec3d n;
    for (int i = 0; i < dim_; ++i) {
      const double on = radii_[i] * radii_[i] * y[i] / (s + beyond(i)), gap = on - y[i];
      d2 += gap * gap;
      n[i] = (x[i] < 0 ? -on : on) / (radii_[i] * radii_[i]);
    }
    if (normal) *normal = (1 / norm(n)) * n;
    return level < 0 ? -std::sqrt(d2) : std::sqrt(d2);
  }

 private:
  RTSIM_HD double beyond(int i) const { return radii_[i] * radii_[i] - smallest_ * smallest_; }

  RTSIM_HD double root(const Vec3d& y) const {
    double s = 0;
    for (int i = 0; i < dim_; ++i) {
      const double left = radii_[i] * y[i] - beyond(i);
      s = left > s ? left : s;
    }
    for (int iteration = 0; iteration < 100; ++iteration) {
      double g = -1, slope = 0;
      for (int i = 0; i < dim_; ++i) {
        const double q = radii_[i] * y[i] / (s + beyond(i));
        g += q * q;
        slope -= 2 * q * q / (s + beyond(i));
      }
      const double step = -g / slope;
      if (!(step > 1e-15 * s)) break;
      s += step;
    }
    return s;
  }

  Vec3d radii_;
  int dim_;
  double smallest_;
};

}  // namespace rtsim
