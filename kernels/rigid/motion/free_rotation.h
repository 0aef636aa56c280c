#pragma once
#include "base/quaternion.h"
#include "rigid/body.h"

// Torque-free turning of a body with three moments of inertia. The body-frame velocity is stepped
// by the implicit midpoint rule, which keeps both of Euler's invariants, 2 E = w I w and |L|^2 =
// |I w|^2 (quadratic invariants: Hairer, Lubich & Wanner, "Geometric Numerical Integration", 2006,
// theorem IV.2.1); the orientation by the rotation at its midpoint, and then so that L points where
// it did. In doubles, since a run takes 1e5 such steps.
namespace rtsim::rigid {

struct FreeTop {
  using V = Vec3d;
  using Q = VecT<double, 4>;

  Q q;       // to the world
  V w;       // [rad/s] in the body's axes
  V moment;  // [kg m^2]

  RTSIM_HD static Q unit(const Q& a) { return (1 / norm(a)) * a; }
  RTSIM_HD static Q turn_of(const V& rotation) {  // [rad]
    const double half = 0.5 * norm(rotation);
    const double s = half > 1e-8 ? std::sin(half) / (2 * half) : 0.5;
    return {{s * rotation[0], s * rotation[1], s * rotation[2], std::cos(half)}};
  }
  RTSIM_HD V momentum() const {
    return turned(q, {{moment[0] * w[0], moment[1] * w[1], moment[2] * w[2]}});
  }

  // w at the middle of a step: m = w + h/2 k (m2 m3, m3 m1, m1 m2), Euler's equations with k1 =
  // (I2 - I3) / I1 and so on, by Newton's method.
  RTSIM_HD V middle(double h) const {
    V k;
    for (int a = 0; a < 3; ++a)
      k[a] = moment[a] > 0 ? 0.5 * h * (moment[(a + 1) % 3] - moment[(a + 2) % 3]) / moment[a] : 0;
    V m = w;
    for (int n = 0; n < 6; ++n) {
      V f;
      for (int a = 0; a < 3; ++a) f[a] = m[a] - w[a] - k[a] * m[(a + 1) % 3] * m[(a + 2) % 3];
      // The rows of the Jacobian.
      const V r0{{1, -k[0] * m[2], -k[0] * m[1]}}, r1{{-k[1] * m[2], 1, -k[1] * m[0]}},
          r2{{-k[2] * m[1], -k[2] * m[0], 1}};
      const V c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
      const V step = (1 / dot(r0, c0)) * (f[0] * c0 + f[1] * c1 + f[2] * c2);
      m = m - step;
      if (dot(step, step) <= 1e-30 * dot(m, m)) break;
    }
    return m;
  }

  // By so much in all [rad]: no part turns by more than a tenth; past the last of them nothing that
  // turns so is of use.
  RTSIM_HD void fly(double h, Real angle) {
    const int parts = angle < Real(100) ? 1 + int(Real(10) * angle) : 1000;
    for (int k = 0; k < parts; ++k) advance(h / parts);
  }
  RTSIM_HD void advance(double h) {
    const V before = momentum(), m = middle(h);
    w = 2.0 * m - w;
    q = unit(product(q, turn_of(h * m)));
    // The smallest turn that brings the momentum back.
    const V now = momentum(), axis = cross(now, before);
    const double size = norm(now) * norm(before);
    // Of the directions, since squares of what hardly turns are below the least of numbers.
    if (!(size > 1e-200)) return;
    const V across = (1 / size) * axis;
    q = unit(product(unit({{across[0], across[1], across[2], 1 + dot(now, before) / size}}), q));
  }
};

}  // namespace rtsim::rigid
