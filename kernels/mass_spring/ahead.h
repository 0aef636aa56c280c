#pragma once
#include "mass_spring/network.h"

namespace rtsim::mass_spring {

// Where points are after a time `ahead` with velocities v. Differences of places are taken before
// the way is added: places themselves round to 1e-7 m at 1 m, which stiff springs feel.
struct Ahead {
  Span<const Vec<3>> position;
  Span<const Row4> v;
  Real time;  // [s]

  RTSIM_HD Vec<3> between(Index i, Index j) const {
    return (position[j] - position[i]) + time * (vec(v[j]) - vec(v[i]));
  }
};

// Where they are.
struct Here {
  Span<const Vec<3>> position;

  RTSIM_HD Vec<3> between(Index i, Index j) const { return position[j] - position[i]; }
};

}  // namespace rtsim::mass_spring
