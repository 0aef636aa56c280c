#pragma once
#include "rigid/contacts/contact_pair.h"

namespace rtsim::rigid {

// What each contact of a block gave to its bodies over a step, blows of bounces too [N s] on j. In
// a substep it gives all the impulse that it ends with: what it ended the last one with acts again
// at the start, and the solves change it to that.
template <int D>
struct ReportedImpulses {
  static constexpr int most_points = ContactBlock<D>::most_points;
  Real normal[most_points][lane_count];
  Real friction[most_points][D - 1][lane_count];
  Real moment[ContactBlock<D>::angular][lane_count];  // [N m s]

  // Friction is shared among the points as pressure is.
  RTSIM_HD void add(const ContactBlock<D>& b, Index l) {
    Real pressure = 0;
    for (int k = 0; k < b.points; ++k) pressure += b.point[k].impulse[l];
    for (int k = 0; k < b.points; ++k) {
      const Real share = pressure > 0 ? b.point[k].impulse[l] / pressure : 0;
      normal[k][l] += b.point[k].impulse[l];
      for (int e = 0; e < D - 1; ++e) friction[k][e][l] += share * b.friction[e][l];
    }
    set_lane(moment, l, lane<Real>(moment, l) + lane<Real>(b.rolling, l) + left(b, l, pressure));
  }

 private:
  // What the moment of friction is besides.
  RTSIM_HD static Angular<2> left(const ContactBlock<2>&, Index, Real) { return {}; }
  RTSIM_HD static Angular<3> left(const ContactBlock<3>& b, Index l, Real pressure) {
    Vec<3> t[2], off = lane<Real>(b.centre_j, l);
    const Vec<3> n = lane<Real>(b.normal, l);
    tangents(n, t);
    for (int k = 0; pressure > 0 && k < b.points; ++k)
      off = off - (b.point[k].impulse[l] / pressure) * lane<Real>(b.point[k].arm_j, l);
    return cross(off, b.friction[0][l] * t[0] + b.friction[1][l] * t[1]) +
           b.friction[2][l] * lane<Real>(b.pivot, l);
  }
};

}  // namespace rtsim::rigid
