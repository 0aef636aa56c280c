#pragma once
#include "base/vec.h"
#include "exec/span.h"
#include "relaxation/shifted.h"
#include "sph_clavet/law.h"

namespace rtsim::sph_clavet {

template <class F>
[[gnu::always_inline]] RTSIM_HD inline void add(F c, const sph::Separation<F>& d, F* s) {
  s[0] = fma(c, d.x, s[0]), s[1] = fma(c, d.y, s[1]), s[2] = fma(c, d.z, s[2]);
}

// n_i and n_i' at the shifted positions; P_i and P_i' from them, and the columns.
struct NumberPass {
  static constexpr int sums = 2;
  Law law;
  Span<Real> push, near_push, density, pressure;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& shift) const { return shift; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& own, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F r2 = relaxation::shifted(d, own, u).r2;
    s[0] = s[0] + law.kernels.shape(r2), s[1] = s[1] + law.kernels.near_shape(r2);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4& own, const sph::Separation<F>& d,
                                            const Q& q, const Q&, F* s) const {
    const F r2 = relaxation::shifted(d, own, Row4{}).r2, weight = F(law.wall_number) * q.w;
    s[0] = fma(weight, law.kernels.shape(r2), s[0]);
    s[1] = fma(weight, law.kernels.near_shape(r2), s[1]);
  }
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    const Real p = law.pressure_of(s[0]), near = law.near_pressure_of(s[1]);
    const Real rho = law.density_scale * (law.lone_number + s[0]);
    push[i] = p, near_push[i] = near, density[i] = rho;
    pressure[i] = rho * rho * (law.pressure * p + law.near_pressure * near);
  }
};

// shift_i -= sum_j (D_i + D_j) / 2, with P in the fourth numbers of the position rows and P' in
// those of the shifts; to other rows. Walls answer with what pushes, and do not pull.
struct RelaxPass {
  static constexpr int sums = 3;
  Law law;
  Real half_dt2;  // dt^2 / 2
  Span<Row4> shift;

  struct Self {
    Row4 shift;
    Real push;
  };
  RTSIM_HD Self self(Index, const Row4& p, const Row4& v) const { return {v, p.w}; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Self& i, const sph::Separation<F>& d, const Q& q,
                                             const Q& u, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, i.shift, u);
    const F r = law.distance(now.r2);
    add(fma(F(i.push) + q.w, law.pull(r), (F(i.shift.w) + u.w) * law.near_pull(r)), now, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Self& i, const sph::Separation<F>& d, const Q& q,
                                            const Q&, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, i.shift, Row4{});
    const F r = law.distance(now.r2);
    const Real push = i.push > 0 ? 2 * i.push : Real(0);
    const F both = fma(F(push), law.pull(r), F(2 * i.shift.w) * law.near_pull(r));
    add(F(law.wall_number) * q.w * both, now, s);
  }
  RTSIM_HD void store(Index i, const Self& self, const Real* s) const {
    const Row4& at = self.shift;
    shift[i] = {fma(half_dt2, s[0], at.x), fma(half_dt2, s[1], at.y), fma(half_dt2, s[2], at.z), 0};
  }
};

// v_i' = v_i + half the impulses of approaching pairs.
template <int D>
struct ViscosityPass {
  static constexpr int sums = 3;
  Law law;
  Viscosity viscosity;
  Span<Vec<D>> velocity;

  RTSIM_HD Row4 self(Index, const Row4&, const Row4& v) const { return v; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4& v, const sph::Separation<F>& d, const Q&,
                                             const Q& u, F* s) const {
    const F r = law.distance(d.r2);
    const F speed = max(F(0) - sph::approach(d, v, u) / r, F(0));
    const F closeness = max(F(1) - r * F(law.kernels.inv_support), F(0));
    const F impulse = closeness * speed * fma(F(viscosity.quadratic), speed, F(viscosity.linear));
    add(impulse / r, d, s);
  }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4&, const sph::Separation<F>&, const Q&,
                                            const Q&, F*) const {}
  RTSIM_HD void store(Index i, const Row4&, const Real* s) const {
    for (int k = 0; k < D; ++k) velocity[i][k] += Real(0.5) * viscosity.dt * s[k];
  }
};

// Friction and stickiness of walls, added to `shift`; `velocity` is that of the prediction, and the
// rows' own motion is not read.
template <int D>
struct GripPass {
  static constexpr int sums = 7;  // weights; x_ib; velocity of the wall
  Law law;
  WallGrip grip;
  Span<const Vec<D>> velocity;
  Span<Row4> shift, given;

  RTSIM_HD Row4 self(Index i, const Row4&, const Row4&) const { return shift[i]; }
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void fluid(const Row4&, const sph::Separation<F>&, const Q&,
                                             const Q&, F*) const {}
  template <class F, class Q>
  [[gnu::always_inline]] RTSIM_HD void wall(const Row4& own, const sph::Separation<F>& d,
                                            const Q& q, const Q& u, F* s) const {
    const sph::Separation<F> now = relaxation::shifted(d, own, Row4{});
    const F weight = q.w * F(law.wall_number) * law.kernels.shape(now.r2);
    s[0] = s[0] + weight;
    add(weight, now, s + 1);
    s[4] = fma(weight, u.x, s[4]), s[5] = fma(weight, u.y, s[5]), s[6] = fma(weight, u.z, s[6]);
  }
  RTSIM_HD void store(Index i, const Row4& own, const Real* s) const {
    const Real long2 = s[1] * s[1] + s[2] * s[2] + s[3] * s[3];
    given[i] = {0, 0, 0, 0};
    if (!(s[0] > 0) || !(long2 > 0)) return;
    const Real far = std::sqrt(long2);
    const Real n[3] = {s[1] / far, s[2] / far, s[3] / far};
    const Real at = far / s[0] - grip.depth, distance = at > 0 ? at : Real(0);
    Real change[3] = {0, 0, 0};
    if (distance < grip.touch) slow(i, own, n, s, change);
    if (distance < grip.stick_distance)
      for (int k = 0; k < D; ++k)
        change[k] -= grip.dt * grip.dt * grip.stickiness * distance *
                     (1 - distance / grip.stick_distance) * n[k];
    shift[i] = {own.x + change[0], own.y + change[1], own.z + change[2], own.w};
    given[i] = {change[0], change[1], change[2], s[0]};
  }

 private:
  // change -= mu dt (v - v_wall) tangential
  RTSIM_HD void slow(Index i, const Row4& own, const Real* n, const Real* s, Real* change) const {
    const Real moved[3] = {own.x, own.y, own.z};
    Real way[3] = {0, 0, 0}, along = 0;
    for (int k = 0; k < D; ++k) {
      way[k] = moved[k] + grip.dt * (velocity[i][k] - s[4 + k] / s[0]);
      along += way[k] * n[k];
    }
    for (int k = 0; k < D; ++k) change[k] -= grip.friction * (way[k] - along * n[k]);
  }
};

// What a sample takes of that: by its weight, so that all get what the row was given.
struct GripBack {
  static constexpr int sums = 3;
  Law law;
  Span<const Row4> shift, given;

  struct Self {
    Row4 shift;  // before
    Row4 given;  // over the sum of weights
  };
  RTSIM_HD Self self(Index i, const Row4&, const Row4&) const {
    const Row4 g = given[i], after = shift[i];
    const Real part = g.w > 0 ? 1 / g.w : Real(0);
    return {{after.x - g.x, after.y - g.y, after.z - g.z, 0},
            {part * g.x, part * g.y, part * g.z, 0}};
  }
  RTSIM_HD void wall(const Self& i, const sph::Separation<Real>& d, const Row4& q, const Row4&,
                     Real* s) const {
    const Real r2 = relaxation::shifted(d, i.shift, Row4{}).r2;
    const Real weight = q.w * law.wall_number * law.kernels.shape(r2);
    s[0] += weight * i.given.x, s[1] += weight * i.given.y, s[2] += weight * i.given.z;
  }
};

}  // namespace rtsim::sph_clavet
