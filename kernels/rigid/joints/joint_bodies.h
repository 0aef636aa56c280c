#pragma once
#include "rigid/joints/joint_blocks.h"
#include "rigid/joints/joint_rows.h"

// Bodies and equations in the doubles that joints are solved in.
namespace rtsim::rigid {

template <int N>
RTSIM_HD VecT<double, N> wide(const VecT<Real, N>& v) {
  VecT<double, N> r;
  for (int k = 0; k < N; ++k) r[k] = double(v[k]);
  return r;
}

template <int D>
RTSIM_HD Place<D> place_of(const Bodies<D>& bodies, const Span<const Vec<D>>& rest,
                           const Row4* solver_bodies, Index i) {
  if (i < 0) return origin(static_cast<Place<D>*>(nullptr));
  Place<D> p{wide(bodies.position[i]) + wide(rest[i]), wide(bodies.orientation[i])};
  if (!solver_bodies) return p;
  SolverBody<D, Real> m;
  const Index first = solver_body_rows<D> * i;
  load_solver_body(solver_bodies, &first, m);
  p.x = p.x + wide(m.moved);
  return p;
}

// Before joints act on it.
template <int D>
RTSIM_HD Spin<D> spin_of(const Bodies<D>& bodies, const Row4* solver_bodies, Index i) {
  if (i < 0) return {};
  if (!solver_bodies) return wide(bodies.angular_velocity[i]);
  SolverBody<D, Real> m;
  const Index first = solver_body_rows<D> * i;
  load_solver_body(solver_bodies, &first, m);
  return wide(m.twist.angular);
}

// Mass and inertia of a body in the world's axes; the world has neither.
template <int D>
struct Weight {
  double mass = 0;
  Spin<D> moments;
  Turn<D> q;

  RTSIM_HD Weight(const Bodies<D>& bodies, Index i) {
    if (i >= 0) *this = Weight(bodies, i, wide(bodies.orientation[i]));
  }
  RTSIM_HD Weight(const Bodies<D>& bodies, Index i, const Turn<D>& turn)
      : mass(double(bodies.mass[i])), moments(wide(bodies.inertia[i])), q(turn) {}
  RTSIM_HD double inverse_mass() const { return mass > 0 ? 1 / mass : 0; }
  RTSIM_HD Spin<D> turned_by(const Spin<D>& l) const {
    if (!(mass > 0)) return {};
    if constexpr (D == 2) {
      return {{l[0] / moments[0]}};
    } else {
      Vec3d own = turned(back(q), l);
      for (int k = 0; k < 3; ++k) own[k] /= moments[k];
      return turned(q, own);
    }
  }
  RTSIM_HD double least_moment() const {
    double least = moments[0];
    for (int k = 1; k < spins<D>; ++k) least = moments[k] < least ? moments[k] : least;
    return least;
  }
  // In the world's axes.
  RTSIM_HD Block<spins<D>> inertia() const {
    Block<spins<D>> t;
    clear(t);
    if constexpr (D == 2) {
      t.at[0][0] += moments[0];
    } else {
      for (int n = 0; n < 3; ++n) {
        const Vec3d e = turned(q, unit_axis<3>(n));
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) t.at[i][j] += moments[n] * e[i] * e[j];
      }
    }
    return t;
  }
  RTSIM_HD void fill(Block<freedoms<D>>& b) const {
    clear(b);
    for (int k = 0; k < D; ++k) b.at[k][k] = mass;
    const Block<spins<D>> turning = inertia();
    for (int i = 0; i < spins<D>; ++i)
      for (int j = 0; j < spins<D>; ++j) b.at[D + i][D + j] = turning.at[i][j];
  }
};

// The row's entries for a, or for b.
template <int D>
RTSIM_HD double entry_of(const JointRow<D>& r, bool b, int k) {
  if (k < D) return b ? r.along[k] : -r.along[k];
  return b ? r.about_b[k - D] : -r.about_a[k - D];
}

template <int D>
RTSIM_HD double times(const JointRow<D>& r, bool b, const BlockColumn<freedoms<D>>& v) {
  double s = 0;
  for (int k = 0; k < freedoms<D>; ++k) s += entry_of(r, b, k) * v.at[k];
  return s;
}

template <int D>
RTSIM_HD double inertness_of(const JointRow<D>& r, const Weight<D>& a, const Weight<D>& b) {
  const double k = dot(r.along, r.along) * (a.inverse_mass() + b.inverse_mass()) +
                   dot(r.about_a, a.turned_by(r.about_a)) + dot(r.about_b, b.turned_by(r.about_b));
  return 1 / k;
}

}  // namespace rtsim::rigid
