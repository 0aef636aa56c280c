#pragma once
#include "rigid/contact_pair.h"

namespace rtsim::rigid {

// What each contact of a block gave to its bodies over a step, blows of bounces too [N s] on j. In
// a substep it gives all the impulse that it ends with: what it ended the last one with acts again
// at the start, and the solves change it to that.
template <int D>
struct GivenImpulses {
  static constexpr int most_points = ContactBlock<D>::most_points;
  Real normal[most_points][lane_count];
  Real friction[most_points][D - 1][lane_count];
  Real moment[ContactBlock<D>::angular][lane_count];  // [N m s]

  // Friction is shared among the points as pressure is; what its centre of the step's beginning is
  // off that is a moment.
  RTSIM_HD void add(const ContactBlock<D>& b, Index l) {
    Vec<D> t[D - 1], p{}, off = lane<Real>(b.centre_j, l);
    tangents(lane<Real>(b.normal, l), t);
    for (int e = 0; e < D - 1; ++e) p = p + b.friction[e][l] * t[e];
    Real pressure = 0;
    for (int k = 0; k < b.points; ++k) pressure += b.point[k].impulse[l];
    for (int k = 0; k < b.points; ++k) {
      const Real of_all = pressure > 0 ? b.point[k].impulse[l] / pressure : 0;
      normal[k][l] += b.point[k].impulse[l];
      for (int e = 0; e < D - 1; ++e) friction[k][e][l] += of_all * b.friction[e][l];
      off = off - of_all * lane<Real>(b.point[k].arm_j, l);
    }
    auto m = lane<Real>(b.rolling, l) + rtsim::rigid::moment(off, p);
    if constexpr (D == 3) m = m + (b.friction[2][l] * b.lever[l]) * lane<Real>(b.normal, l);
    set_lane(moment, l, lane<Real>(moment, l) + m);
  }
};

}  // namespace rtsim::rigid
