#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "pbf/law.h"
#include "relaxation/shifted.h"

namespace rtsim::pbf {

template <class F>
[[gnu::always_inline]] RTSIM_HD inline void add(F c, const sph::Separation<F>& d, F* s) {
  s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
}

// lambda_i and C_i at the shifted positions.
struct LambdaPass {
  static constexpr int sums = 5;  // grad_i C_i; sum_j |grad_j C_i|^2; shapes
  Law law;
  Span<Real> lambda, error;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& shift) const { return shift; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& own, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, own, u);
    const F g = law.slope(now.r2);
    add(g, now, s);
    s[3] = fma(g * g, now.r2, s[3]);
    s[4] = s[4] + law.density.shape(now.r2);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4& own, const sph::Separation<F>& d,
                                            const Q& q, const Q&, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, own, Row4{});
    const F weight = F(law.wall_number) * q.w;
    add(weight * law.slope(now.r2), now, s);
    s[4] = fma(weight, law.density.shape(now.r2), s[4]);
  }
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    const Real ratio = law.volume * law.density.scale * (law.density.shape(Real(0)) + s[4]);
    const Real c = ratio - 1, asked = c < 0 ? law.tension * c : c;
    const Real squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3];
    const Real below = squares + law.epsilon;
    error[i] = c;
    lambda[i] = below > 0 ? -asked / below : Real(0);
  }
};

// shift_i += sum_j V (lambda_i + lambda_j + s_ij) grad W_ij, with lambda in the fourth numbers of
// the position rows; to other rows. Samples add V_b (lambda_i + s_ib) grad W_ib, and V lambda_b
// grad W_ib where they have a lambda of their own, in the fourth numbers of their motion rows.
struct ShiftPass {
  static constexpr int sums = 3;
  Law law;
  Span<Row4> shift;

  struct Self {
    Row4 shift;
    Real lambda;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {v, p.w}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, i.shift, u);
    add(law.slope(now.r2) * (F(i.lambda) + q.w + law.artificial(now.r2)), now, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q& u, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, i.shift, Row4{});
    const F push = F(i.lambda) + law.artificial(now.r2);
    add(fma(F(law.wall_number) * q.w, push, u.w) * law.slope(now.r2), now, s);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Row4& at = self.shift;
    shift[i] = {at.x + s[0], at.y + s[1], at.z + s[2], 0};
  }
};

// v_i' = v_i + c sum_j V (v_j - v_i) W_ij, walls not counted (eq. 17, where V is one).
template <int D>
struct XsphPass {
  static constexpr int sums = 3;
  Law law;
  Real part;  // c
  Span<Vec<D>> velocity;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F w = law.density.shape(d.r2);
    s[0] = fma(w, u.x - F(v.x), s[0]), s[1] = fma(w, u.y - F(v.y), s[1]);
    s[2] = fma(w, u.z - F(v.z), s[2]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    for (int k = 0; k < D; ++k) velocity[i][k] += part * law.volume * law.density.scale * s[k];
  }
};

// omega_i = sum_j V (v_j - v_i) x grad_j W_ij (eq. 15), and its length.
struct CurlPass {
  static constexpr int sums = 3;
  Law law;
  Span<Row4> curl;
  Span<Real> length;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F g = law.slope(d.r2);  // grad_j W = -g x_ij, and v_j - v_i = -(v_i - v_j)
    const F x = F(v.x) - u.x, y = F(v.y) - u.y, z = F(v.z) - u.z;
    s[0] = fma(g, y * d.z - z * d.y, s[0]);
    s[1] = fma(g, z * d.x - x * d.z, s[1]);
    s[2] = fma(g, x * d.y - y * d.x, s[2]);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    curl[i] = {s[0], s[1], s[2], 0};
    length[i] = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  }
};

// v_i += dt epsilon (N x omega_i), N = eta / |eta|, eta = sum_j V |omega_j| grad W_ij (eq. 16),
// with |omega| in the fourth numbers of the position rows.
template <int D>
struct ConfinePass {
  static constexpr int sums = 3;
  Law law;
  Real impulse;  // dt epsilon [m]
  Span<const Row4> curl;
  Span<Vec<D>> velocity;

  RTSIM_HD Real self(Index, const Row4&, const Row4&) const { return 0; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(Real, const sph::Separation<F>& d, const Q& q,
                                             const Q&, F* s) const {
    add(law.slope(d.r2) * q.w, d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(Real, const sph::Separation<F>&, const Q&, const Q&,
                                            F*) const {}
  RTSIM_HD void store(Index i, Real, const Real* s) const {
    const Real length2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    if (!(length2 > 0)) return;
    const Real c = impulse / std::sqrt(length2);
    const Vec<3> f = cross(Vec<3>{{s[0], s[1], s[2]}}, Vec<3>{{curl[i].x, curl[i].y, curl[i].z}});
    for (int k = 0; k < D; ++k) velocity[i][k] += c * f[k];
  }
};

}  // namespace rtsim::pbf
