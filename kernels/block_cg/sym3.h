#pragma once
#include "base/vec.h"
#include "lanes/row4.h"

namespace rtsim {

// A symmetric 3 x 3 matrix.
struct Sym3 {
  Real xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  friend RTSIM_HD Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  }
  friend RTSIM_HD Vec<3> operator*(const Sym3& m, const Vec<3>& v) {
    return {{m.xx * v[0] + m.xy * v[1] + m.xz * v[2], m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
             m.xz * v[0] + m.yz * v[1] + m.zz * v[2]}};
  }
};

// Those of eight rows side by side.
struct Sym3Slot {
  Real xx[lane_count], yy[lane_count], zz[lane_count];
  Real xy[lane_count], xz[lane_count], yz[lane_count];

  RTSIM_HD Sym3 operator[](Index l) const { return {xx[l], yy[l], zz[l], xy[l], xz[l], yz[l]}; }
  RTSIM_HD void set(Index l, const Sym3& m) {
    xx[l] = m.xx, yy[l] = m.yy, zz[l] = m.zz, xy[l] = m.xy, xz[l] = m.xz, yz[l] = m.yz;
  }
};

// a n n^T + b I
RTSIM_HD inline Sym3 outer(const Vec<3>& n, Real a, Real b) {
  return {a * n[0] * n[0] + b, a * n[1] * n[1] + b, a * n[2] * n[2] + b,
          a * n[0] * n[1],     a * n[0] * n[2],     a * n[1] * n[2]};
}

// By cofactors in double: of a block whose springs are a million times as stiff one way as another,
// float would keep nothing.
RTSIM_HD inline Sym3 inverse(const Sym3& m) {
  const double xx = m.xx, yy = m.yy, zz = m.zz, xy = m.xy, xz = m.xz, yz = m.yz;
  const double cx = yy * zz - yz * yz, cy = xz * yz - xy * zz, cz = xy * yz - xz * yy;
  const double s = 1 / (xx * cx + xy * cy + xz * cz);
  return {Real(s * cx), Real(s * (xx * zz - xz * xz)), Real(s * (xx * yy - xy * xy)), Real(s * cy),
          Real(s * cz), Real(s * (xy * xz - xx * yz))};
}

// The inverse of m in the plane across the unit vector n, and 0 along n: with S = I - n n^T it is
// S (S m S + c n n^T)^-1 S for any c > 0, here m's mean eigenvalue.
RTSIM_HD inline Sym3 inverse_across(const Sym3& m, const Vec<3>& n) {
  const Vec<3> mn = m * n;
  const Real c = (m.xx + m.yy + m.zz) / 3;
  // S m S = m - n (m n)^T - (m n) n^T + (n . m n) n n^T
  const Vec<3> k = mn - (Real(0.5) * (dot(n, mn) + c)) * n;
  const Sym3 across{m.xx - 2 * n[0] * k[0],           m.yy - 2 * n[1] * k[1],
                    m.zz - 2 * n[2] * k[2],           m.xy - n[0] * k[1] - n[1] * k[0],
                    m.xz - n[0] * k[2] - n[2] * k[0], m.yz - n[1] * k[2] - n[2] * k[1]};
  return inverse(across) + outer(n, -1 / c, 0);
}

}  // namespace rtsim
