#pragma once
#include "rigid/contact_block.h"

namespace rtsim::rigid {

// What each contact of a block gave to its bodies over a step, blows of bounces too [N s] on j. In
// a substep it gives all the impulse that it ends with: what it ended the last one with acts again
// at the start, and the solves change it to that.
template <int D>
struct GivenImpulses {
  static constexpr int most_points = ContactBlock<D>::most_points;
  Real normal[most_points][lane_count];
  Real friction[most_points][D - 1][lane_count];
  Real rolling[ContactBlock<D>::angular][lane_count];  // [N m s]

  RTSIM_HD void add(const ContactBlock<D>& b, Index l) {
    for (int k = 0; k < b.points; ++k) {
      normal[k][l] += b.point[k].impulse[l];
      for (int t = 0; t < D - 1; ++t) friction[k][t][l] += b.point[k].friction[t][l];
    }
    for (int a = 0; a < ContactBlock<D>::angular; ++a) rolling[a][l] += b.rolling[a][l];
  }
};

}  // namespace rtsim::rigid
