#pragma once
#include "rigid/joints/joint_bodies.h"
#include "rigid/material.h"

// One equation of contacts that are solved together: the speed of a point along the normal, or of
// what rubs along one of its freedoms. All in doubles: what bears 1e6 times its mass gets impulses
// that nearly cancel.
namespace rtsim::rigid {

template <int D>
using WideTwist = VecT<double, freedoms<D>>;

template <int D, class V, class W>
RTSIM_HD WideTwist<D> join(const V& linear, const W& angular) {
  WideTwist<D> t;
  for (int a = 0; a < freedoms<D>; ++a) t[a] = a < D ? double(linear[a]) : double(angular[a - D]);
  return t;
}

template <int D>
struct WideSolverBody {
  WideTwist<D> twist;
  double inverse_mass;
  InverseInertia<D, double> inertia;

  RTSIM_HD explicit WideSolverBody(const SolverBody<D, Real>& m)
      : twist(join<D>(m.twist.velocity, m.twist.angular)),
        inverse_mass(m.inverse_mass),
        inertia(widened(m.inertia)) {}
  RTSIM_HD static InverseInertia<2, double> widened(const InverseInertia<2, Real>& i) {
    return {double(i.zz)};
  }
  RTSIM_HD static InverseInertia<3, double> widened(const InverseInertia<3, Real>& i) {
    return {double(i.xx), double(i.yy), double(i.zz), double(i.xy), double(i.xz), double(i.yz)};
  }
  // The twist that a unit of a row's impulse gives.
  RTSIM_HD WideTwist<D> answer(const WideTwist<D>& along) const {
    VecT<double, D> p;
    Spin<D> l;
    for (int a = 0; a < freedoms<D>; ++a) (a < D ? p[a] : l[a - D]) = along[a];
    return join<D>(inverse_mass * p, inertia(l));
  }
};

template <int D>
struct ClusterBody {
  Index solver_body;    // its first row
  Index first;          // the first equation that has it
  WideTwist<D> change;  // of its twist
};

template <int D>
struct LcpRow {
  Index slot;                // block * lane_count + lane
  std::int32_t at;           // a point of it; from most_points on, a line of its friction
  Index body[2];             // i and j, of all in groups; -1: nothing moves it
  WideTwist<D> along[2];     // the speed of the row, by their twists
  WideTwist<D> response[2];  // twists by a unit of the row's impulse
  double soft;               // [1/kg]
  double still;              // [m/s] change of the speed that stops it
  double asked;              // [m/s] that, less what takes overlaps back and what is soft
  double before, change;     // [N s]
  bool known, wrong;         // its change is known; that contradicts its contact
  Index first;               // the first row that it has a body in common with
  Index begin;               // where its line of the matrix is, from there to itself

  RTSIM_HD double speed(const WideSolverBody<D>& i, const WideSolverBody<D>& j) const {
    return dot(along[0], i.twist) + dot(along[1], j.twist);
  }
  RTSIM_HD double own() const { return dot(along[0], response[0]) + dot(along[1], response[1]); }
  // The speed of this row for a unit of another's impulse.
  RTSIM_HD double by(const LcpRow& o) const {
    double v = 0;
    for (int s = 0; s < 2; ++s)
      for (int t = 0; t < 2; ++t)
        if (body[s] >= 0 && body[s] == o.body[t]) v += dot(along[s], o.response[t]);
    return v;
  }
};

}  // namespace rtsim::rigid
