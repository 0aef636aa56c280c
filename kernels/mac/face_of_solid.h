#pragma once
#include "mac/open_face.h"

namespace rtsim::mac {

// Which solid a face meets, and how that moves it.
struct FaceOfSolid {
  Domain domain;
  OpenFace face[3];

  static FaceOfSolid of(const Domain& d, const SolidNodes& nodes, const Walls& w) {
    FaceOfSolid f{d, {}};
    for (int a = 0; a < d.dims; ++a) f.face[a] = OpenFace::of(d, nodes, a, w);
    return f;
  }

  // Of both ends of a periodic axis, which are one face.
  RTSIM_HD Index deepest_node(int axis, const Index f[3]) const {
    const Index here = face[axis].deepest_node(f), last = domain.cells[axis];
    if (!domain.periodic(axis) || (f[axis] != 0 && f[axis] != last)) return here;
    Index g[3] = {f[0], f[1], f[2]};
    g[axis] = last - f[axis];
    const Index there = face[axis].deepest_node(g);
    const Real* distance = face[axis].nodes.distance;
    return distance[there] < distance[here] ? there : here;
  }
  RTSIM_HD Index solid(int axis, const Index f[3]) const {
    return face[axis].nodes.nearest[deepest_node(axis, f)];
  }
  // Adds `share` times (e_a, r_f x e_a), r_f from the centre of the solid.
  RTSIM_HD void add_motion(int axis, const Index f[3], Index solid, Real share,
                           Real (&motion)[6]) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const boundary::Pose& pose = face[axis].poses[solid];
    Real arm[3] = {0, 0, 0};
    for (int a = 0; a < domain.dims; ++a) {
      double r = face[axis].first[a] +
                 double(domain.spacing) * (double(f[a]) + (a == axis ? 0 : 0.5)) -
                 double(pose.centre[a]);
      const double period = double(domain.spacing) * domain.cells[a];
      if (domain.periodic(a)) r += r > period / 2 ? -period : r < -period / 2 ? period : 0;
      arm[a] = Real(r);
    }
    motion[axis] += share;
    motion[3 + b] += arm[c] * share, motion[3 + c] -= arm[b] * share;
  }
};

}  // namespace rtsim::mac
