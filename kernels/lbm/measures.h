#pragma once
#include "lbm/lbm.h"

// What the series and columns say of a flow.
namespace rtsim::lbm {

// Sums over fluid cells: how many, of pressure [Pa], of velocity, of speed squared, of vorticity
// squared.
template <int D>
struct Totals {
  double cells = 0, pressure = 0, speed2 = 0, curl2 = 0;
  double velocity[D] = {};
  double angular_momentum[3] =
      {};  // x times velocity, x in cells from the lower corner; in the plane the last
};

// Velocities of cells, to be differentiated.
template <int D>
struct Flow {
  Layout layout;
  Span<const std::uint8_t> solid;
  bool periodic[3];  // axes
  Real spacing;      // [m]
  Span<const Vec<D>> velocity;
};

template <int D>
Totals<D> totals(const Exec&, const Flow<D>&, Span<const Real> pressure);

// Curl of the velocity [1/s]: along z in the plane.
template <int D>
using Curl = std::conditional_t<D == 2, Real, Vec<3>>;
template <int D>
void vorticity(const Exec&, const Flow<D>&, Span<Curl<D>>);

// Momentum that a wall took in a step, lattice units times s, and its moment about the origin [m].
struct Wrench {
  VecT<double, 3> force, torque;
  RTSIM_HD friend Wrench operator+(const Wrench& a, const Wrench& b) {
    return {a.force + b.force, a.torque + b.torque};
  }
};

// Of links[order[k]], in the step that left `last`.
template <int D, class Stored>
Wrench wrench(const Exec&, const Cells&, const Law<D>&, const Populations<D, Stored>& last,
              Span<const Link>, Span<const Index> order);

// How a wall's wrench falls as it gets faster in the same step: K dV, of its velocity at `centre`
// and its angular velocity, lattice units times s a m/s and a rad/s, moments about the centre. The
// upper half of K, row by row.
struct Response {
  double k[21] = {};
  RTSIM_HD friend Response operator+(const Response& a, const Response& b) {
    Response r;
    for (int i = 0; i < 21; ++i) r.k[i] = a.k[i] + b.k[i];
    return r;
  }
};
// Extents of the axes that repeat [m], 0 of the others: arms are to the nearer image.
using Periods = VecT<double, 3>;
template <int D>
Response response(const Exec&, const Cells&, const Periods&, const Vec3d& centre, Span<const Link>,
                  Span<const Index> order);
// By how much a wall's own speed changes [m/s], [rad/s].
struct SpeedChange {
  Vec<3> velocity, angular;
};
// Links of obstacles after their walls' speeds changed, those of each by `changes`.
template <int D>
void change_speed(const Exec&, const Cells&, const Periods&, Span<const SpeedChange> changes,
                  Span<Link>);

// Fluid cells along a face of the domain, and the sum of what flows out there: s u of each.
struct FaceFlow {
  double cells = 0, out = 0;
  RTSIM_HD friend FaceFlow operator+(const FaceFlow& a, const FaceFlow& b) {
    return {a.cells + b.cells, a.out + b.out};
  }
};
template <int D, class Stored>
FaceFlow face_flow(const Exec&, const Cells&, const Law<D>&, const Populations<D, Stored>& last,
                   int face);

// The greatest speed along itself that an obstacle's link is given, times s.
template <int D>
Real greatest_push(const Exec&, Span<const Link>);

}  // namespace rtsim::lbm
