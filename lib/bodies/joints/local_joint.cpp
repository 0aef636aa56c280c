#include "bodies/joints/local_joint.h"

#include <cmath>

#include "rigid/joints/joint_bodies.h"
#include "rigid/motion/free_rotation.h"

namespace rtsim {

using rigid::Joint;
using rigid::JointKind;
using rigid::Place;
using rigid::Turn;

namespace {

VecT<double, 2> flat(const Vec3d& v, VecT<double, 2>*) { return {{v[0], v[1]}}; }
Vec3d flat(const Vec3d& v, Vec3d*) { return v; }

// From the joint's axes to the world's: its axis is x.
Turn<2> axes(const Vec3d& axis, Turn<2>*) {
  const double size = std::hypot(axis[0], axis[1]);
  if (!(size > 0)) return {{1, 0}};
  return {{axis[0] / size, axis[1] / size}};
}
// Its axis is z: the smallest turn from there, or from -z after half a turn about x.
Turn<3> axes(const Vec3d& axis, Turn<3>*) {
  const Vec3d n = (1 / norm(axis)) * axis;
  if (n[2] > 0) return rigid::FreeTop::unit({{-n[1], n[0], 0, 1 + n[2]}});
  return product(rigid::FreeTop::unit({{n[1], -n[0], 0, 1 - n[2]}}), Turn<3>{{1, 0, 0, 0}});
}

template <int D>
Place<D> place(Index row, const std::vector<Vec<D>>& positions,
               const std::vector<rigid::Orientation<D>>& orientations) {
  if (row < 0) return rigid::origin(static_cast<Place<D>*>(nullptr));
  return {rigid::wide(positions[std::size_t(row)]), rigid::wide(orientations[std::size_t(row)])};
}

}  // namespace

template <int D>
Joint<D> local_joint(const JointStart& s, const std::vector<Vec<D>>& positions,
                     const std::vector<rigid::Orientation<D>>& orientations) {
  using V = VecT<double, D>;
  const Place<D> a = place<D>(s.a, positions, orientations),
                 b = place<D>(s.b, positions, orientations);
  const V at = flat(s.at, static_cast<V*>(nullptr)), to = flat(s.to, static_cast<V*>(nullptr));
  const Turn<D> turn = axes(s.axis, static_cast<Turn<D>*>(nullptr));
  const V end = s.kind == JointKind::distance ? to : at;
  Joint<D> j{s.kind, s.a, s.b, {}, {}, {}, {}, norm(to - at), s.stays, {}};
  j.anchor_a = turned(back(a.q), at - a.x), j.anchor_b = turned(back(b.q), end - b.x);
  j.frame_a = product(back(a.q), turn), j.frame_b = product(back(b.q), turn);
  for (int k = 0; k < 3; ++k) j.drive[k] = s.drive[k];
  return j;
}

template Joint<2> local_joint<2>(const JointStart&, const std::vector<Vec<2>>&,
                                 const std::vector<rigid::Orientation<2>>&);
template Joint<3> local_joint<3>(const JointStart&, const std::vector<Vec<3>>&,
                                 const std::vector<rigid::Orientation<3>>&);

}  // namespace rtsim
