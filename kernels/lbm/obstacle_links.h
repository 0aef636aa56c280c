#pragma once
#include "lbm/lbm.h"

// Walls of obstacles, which cut links anywhere.
namespace rtsim::lbm {

// s u of an obstacle's wall, `arm` [m] from its centre.
RTSIM_HD inline Vec<3> wall_speed(const Cells& cells, const boundary::Pose& pose,
                                  const Vec<3>& arm) {
  return cells.speed * (pose.velocity + cross(pose.angular_velocity, arm));
}

// What comes back from a wall at a part q of a link, moving at u_w: the central linear
// interpolation of Ginzburg, Verhaeghe & d'Humieres 2008, Part I, sec. 5 (CLI),
//   f_-c(x, t+1) = f_c(x) + kappa (f_c(x - c) - f_-c(x)) - 12 w c.u_w / (1 + 2 q),
//   kappa = (1 - 2 q) / (1 + 2 q),
// the populations on the right after the collision; f_c(x - c) is on its way into x. With
// 2 / (1 + 2 q) = 1 + kappa this is the wall half-way, f_c(x) - 6 w c.u_w, and an excess beside it.
//   Walls let nothing through, but the excesses, each of second order, do not sum to 0: their sum
// is taken off the links of the region again, by their weights. Round a closed obstacle that is a
// pressure alone, and no force. The same way comes back what covered cells held.
template <int D, class Stored>
struct Bend {
  Layout layout;
  Law<D> law;
  Populations<D, Stored> f;
  Span<const Link> links;
  Real off;  // of a weight of 1

  RTSIM_HD double excess(const Link& l) const {
    if (l.bend == 0)
      return 0;  // half-way; between two walls another link writes what it would read
    const int p = l.from / 2;
    const Index o = layout.template offset<D>(p);
    const Index inner = l.from % 2 == 1 ? l.slot - o : l.slot + o;
    const Real arriving = load(f.array[l.from] + inner),
               opposite = load(f.array[l.from ^ 1] + inner);
    return double(l.bend * (arriving - opposite + l.shift));
  }
  RTSIM_HD void operator()(Index i) const {
    const Link& l = links[i];
    const Real v = load(f.array[l.from] + l.slot) + l.shift + Real(excess(l)) -
                   Lattice<D>::weight(l.from / 2) * off;
    store(f.array[l.from ^ 1] + l.slot, v, chance(chance_of(law.step, l.from ^ 1), l.slot));
  }
};

template <int D, class Stored>
struct Excess {
  Bend<D, Stored> bend;
  RTSIM_HD double operator()(Index i) const { return bend.excess(bend.links[i]); }
};

}  // namespace rtsim::lbm
