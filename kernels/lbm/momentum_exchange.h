#pragma once
#include "lbm/measures.h"
#include "lbm/obstacle_links.h"

namespace rtsim::lbm {

// Momentum exchange as a wall at u_w sees it: (c - u_w) of what flew in, less (-c - u_w) of what
// flies out. Wen, Zhang, Tu, Wang & Fang, "Galilean invariant fluid-solid interfacial dynamics in
// lattice Boltzmann simulations", J. Comput. Phys. 266, 2014, eq. 11; cells that come and go then
// need no impulse of their own. At rest it is that of Ladd 1994.
template <int D, class Stored>
struct Taken {
  Cells cells;
  Law<D> law;
  Populations<D, Stored> f;
  Span<const Link> links;
  Span<const Index> order;

  RTSIM_HD Wrench operator()(Index i) const {
    const Link l = links[order[i]];
    const Layout& layout = cells.layout;
    const int p = l.from / 2;
    const bool forth = l.from % 2 == 1;
    const double in = double(load(f.array[l.from] + l.slot)),
                 out = double(load(f.array[l.from ^ 1] + l.slot));
    const Index n = forth ? l.slot - layout.template offset<D>(p) : l.slot;
    const Index at[3] = {n % layout.pitch - layout.margin, n % layout.plane / layout.pitch - 1,
                         n / layout.plane - layout.deep};
    // Half-way where bend is 0.
    const double q = (1 - double(l.bend)) / (2 * (1 + double(l.bend)));
    Wrench w;
    VecT<double, 3> wall;
    for (int a = 0; a < D; ++a) {
      const double c = (forth ? 1 : -1) * Lattice<D>::along(p, a);
      w.force[a] = (in + out) * c;
      wall[a] = double(cells.first[a]) + (double(at[a]) + q * c) * double(cells.step[a]);
    }
    if (l.kind == Link::obstacle) {
      const Vec<3> u = speed(l, wall);
      for (int a = 0; a < D; ++a) w.force[a] -= double(law.quadratic * u[a]) * (in - out);
    }
    w.torque = cross(wall, w.force);
    return w;
  }
  RTSIM_HD Vec<3> speed(const Link& l, const VecT<double, 3>& wall) const {
    const boundary::Pose& pose = cells.poses[l.wall - 6];
    Vec<3> arm;
    for (int a = 0; a < D; ++a) arm[a] = Real(wall[a]) - pose.centre[a];
    return wall_speed(cells, pose, arm);
  }
};

// The sum over all of `order`: the CPU-shaped body.
template <int D, class Stored>
Wrench wrench_fetched_ahead(const Exec&, const Taken<D, Stored>&);

}  // namespace rtsim::lbm
