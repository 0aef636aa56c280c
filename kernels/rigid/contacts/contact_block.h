#pragma once
#include <type_traits>

#include "rigid/motion/solver_body.h"
#include "rigid/narrow_phase/manifold.h"

namespace rtsim::rigid {

// Points that a lane does not have are so far apart [m].
constexpr Real nowhere = Real(1e6);

// What friction needs, kernels/rigid/contacts/friction.h. In the plane it has one line for all
// points, and acts at the first; and the bodies' inertia is here, since it stays.
template <int D>
struct FrictionLanes;
template <>
struct FrictionLanes<2> {
  static constexpr int masses = 1;
  Real inertia_i[lane_count], inertia_j[lane_count];  // [1/(kg m^2)] inverse
  Real friction_mass[masses][lane_count];             // [kg]
  Real friction[1][lane_count];                       // [N s] of one substep, on j
};
template <>
struct FrictionLanes<3> {
  static constexpr int masses = 6;
  Real centre_i[3][lane_count], centre_j[3][lane_count];  // [m] arms
  Real pivot[3][lane_count];               // [m] what its moment is about, as long as its lever
  Real friction_mass[masses][lane_count];  // [kg]
  Real least_mass[lane_count];             // [kg]
  Real friction[3][lane_count];            // [N s] of one substep, on j
};

// Eight manifolds of one colour, a lane each. Body i moves; j may be a boundary.
template <int D>
struct alignas(64) ContactBlock : FrictionLanes<D> {
  static constexpr int most_points = Manifold<D>::most_points;
  static constexpr int angular = D == 2 ? 1 : 3;

  struct alignas(64) Point {
    Real arm_i[D][lane_count], arm_j[D][lane_count];  // [m]
    Real separation[lane_count];                      // [m] when the step began
    Real normal_mass[lane_count];                     // [kg]
    Real relaxation[lane_count];                      // share of its answer that a point gives
    Real impulse[lane_count];                         // [N s] of one substep, on j
  };
  using Feature = VecT<std::uint32_t, lane_count>;  // of the manifolds' points
  // In space most contacts have fewer than four points, and a block only as many as its lanes
  // need: they lie one behind the other in an array of all blocks.
  static constexpr bool has_own_points = D == 2;
  template <class T>
  using OfPoints = std::conditional_t<has_own_points, T[most_points], T*>;

  // What each pass reads lies together.
  Index i[lane_count], j[lane_count];  // first rows of the solver bodies
  Real normal[D][lane_count];          // from i to j
  Real bias_rate[lane_count];          // [1/s] kernels/rigid/contacts/contact_stiffness.h
  Real impulse_scale[lane_count];
  Real round_i[lane_count], round_j[lane_count];  // [m] kernels/rigid/contacts/round_surface.h
  OfPoints<Point> point;
  std::int32_t points;  // the most of any lane
  Real most_load;       // likewise

  OfPoints<Feature> feature;
  Real rolling[angular][lane_count];  // [N m s]
  Real rolling_mass[lane_count];      // [kg m^2]
  Index manifold[lane_count];         // -1: nothing in this lane
  Real load[lane_count];              // kernels/rigid/contacts/contact_stiffness.h
  Real peak[lane_count];              // the greatest of late
  // [N s] What of its points' impulses stops bodies, as far as it is known (contact_cluster.h);
  // with the sign turned that of the last step.
  Real borne[lane_count];

  // Points that passes loop over. In the plane always both, so that the loop's length is known; one
  // that is absent is `nowhere` and gets no impulse.
  RTSIM_HD int solved_points() const { return D == 2 ? most_points : points; }
};

// One lane of a line of a block, or all of them.
RTSIM_HD inline Real lane(const Real* line, Index l, Real*) { return line[l]; }
inline Lanes<Real> lane(const Real* line, Index, Lanes<Real>*) { return Lanes<Real>::load(line); }
RTSIM_HD inline void set_lane(Real* line, Index l, Real v) { line[l] = v; }
inline void set_lane(Real* line, Index, Lanes<Real> v) { v.store(line); }

template <class T, int N>
RTSIM_HD VecT<T, N> lane(const Real (&lines)[N][lane_count], Index l) {
  VecT<T, N> r;
  for (int k = 0; k < N; ++k) r[k] = lane(lines[k], l, static_cast<T*>(nullptr));
  return r;
}
template <class T>
RTSIM_HD T lane(const Real (&line)[lane_count], Index l) {
  return lane(line, l, static_cast<T*>(nullptr));
}
template <class T, int N>
RTSIM_HD void set_lane(Real (&lines)[N][lane_count], Index l, const VecT<T, N>& v) {
  for (int k = 0; k < N; ++k) set_lane(lines[k], l, v[k]);
}

}  // namespace rtsim::rigid
