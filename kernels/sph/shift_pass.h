#pragma once
#include "sph/shift.h"

namespace rtsim::sph {

// surface[i].w = 1 where the trace of M_i, with walls, is too small, else 0.
struct SurfacePass {
  static constexpr int sums = 1;
  Shifting law;
  Span<Row4> surface;

  RTSIM_HD Real self(Index, const Row4&, const Row4&) const { return 0; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const Separation<F>& d, const Q&, const Q& u,
                                             F* s) const {
    s[0] = s[0] - F(law.medium.mass) * law.medium.gradient(d.r2) * d.r2 / u.w;
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const Separation<F>& d, const Q& q, const Q&,
                                            F* s) const {
    s[0] = s[0] - q.w * law.medium.gradient(d.r2) * d.r2;
  }
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    surface[i].w = s[0] >= law.least_trace ? Real(0) : Real(1);
  }
};

// Sums: 0-2 the gradient of the concentration, 3-8 M (xx xy xz yy yz zz), 9-17 the gradient of the
// velocity before its correction, 18 what surface rows add to the gradient of the concentration.
struct ShiftPass {
  static constexpr int sums = 19;
  Shifting law;
  Span<Row4> shift, change;

  struct Self {
    Row4 v;
    bool surface;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {v, p.w > 0}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    const Row4& v = i.v;
    const F g = F(law.medium.mass) * law.medium.gradient(d.r2) / u.w;
    const F x = g * d.x, y = g * d.y, z = g * d.z;  // V_j grad W_ij
    concentrate(x, y, z, d, s);
    s[3] = s[3] - x * d.x, s[4] = s[4] - x * d.y, s[5] = s[5] - x * d.z;
    s[6] = s[6] - y * d.y, s[7] = s[7] - y * d.z, s[8] = s[8] - z * d.z;
    const F a = u.x - F(v.x), b = u.y - F(v.y), c = u.z - F(v.z);
    s[18] = fma(g, q.w, s[18]);
    s[9] = fma(a, x, s[9]), s[10] = fma(a, y, s[10]), s[11] = fma(a, z, s[11]);
    s[12] = fma(b, x, s[12]), s[13] = fma(b, y, s[13]), s[14] = fma(b, z, s[14]);
    s[15] = fma(c, x, s[15]), s[16] = fma(c, y, s[16]), s[17] = fma(c, z, s[17]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self&, const Separation<F>& d, const Q& q,
                                            const Q&, F* s) const {
    s[18] = fma(q.w, law.medium.gradient(d.r2), s[18]);
  }
  template <class F>
  [[gnu::always_inline]] RTSIM_HD void concentrate(F x, F y, F z, const Separation<F>& d,
                                                   F* s) const {
    const F near = law.medium.kernel.shape(d.r2) * F(law.inv_spacing);
    const F c = fma(F(law.pairing) * (near * near), near * near, F(1));
    s[0] = fma(c, x, s[0]), s[1] = fma(c, y, s[1]), s[2] = fma(c, z, s[2]);
  }

  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    shift[i] = change[i] = {0, 0, 0, 0};
    if (self.surface || s[18] != 0) return;
    const Real *m = s + 3, *g = s + 9, flat = law.dim == 3 ? m[5] : Real(1);
    const Real xx = m[3] * flat - m[4] * m[4], xy = m[2] * m[4] - m[1] * flat,
               xz = m[1] * m[4] - m[2] * m[3];
    const Real determinant = m[0] * xx + m[1] * xy + m[2] * xz;
    if (!(determinant > Real(0.01))) return;  // fluid all on a line
    const Real length = law.fick * root(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const Real c = length > law.most ? -law.fick * law.most / length : -law.fick;
    const Row4 d = {c * s[0], c * s[1], c * s[2], 0};
    const Real inv = 1 / determinant;  // M^-1 d
    const Real yy = m[0] * flat - m[2] * m[2], yz = m[1] * m[2] - m[0] * m[4],
               zz = m[0] * m[3] - m[1] * m[1];
    const Real x = inv * (xx * d.x + xy * d.y + xz * d.z),
               y = inv * (xy * d.x + yy * d.y + yz * d.z),
               z = inv * (xz * d.x + yz * d.y + zz * d.z);
    shift[i] = d;
    change[i] = {g[0] * x + g[1] * y + g[2] * z, g[3] * x + g[4] * y + g[5] * z,
                 g[6] * x + g[7] * y + g[8] * z, 0};
  }
};

}  // namespace rtsim::sph
