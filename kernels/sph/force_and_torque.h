#pragma once
#include "lanes/row4.h"

namespace rtsim::sph {

// On a body, about the origin.
struct ForceAndTorque {
  double force[3] = {0, 0, 0};   // [N]
  double torque[3] = {0, 0, 0};  // [N m]
};

// f at x, and x cross f.
RTSIM_HD inline ForceAndTorque acting_at(const Row4& x, const Row4& f) {
  return {{double(f.x), double(f.y), double(f.z)},
          {double(x.y) * double(f.z) - double(x.z) * double(f.y),
           double(x.z) * double(f.x) - double(x.x) * double(f.z),
           double(x.x) * double(f.y) - double(x.y) * double(f.x)}};
}

struct AddForces {
  RTSIM_HD ForceAndTorque operator()(ForceAndTorque a, const ForceAndTorque& b) const {
    for (int k = 0; k < 3; ++k) a.force[k] += b.force[k], a.torque[k] += b.torque[k];
    return a;
  }
};

}  // namespace rtsim::sph
