#pragma once
#include "rigid/joints/joint_bodies.h"
#include "rigid/joints/joint_drive.h"
#include "rigid/joints/joints.h"

namespace rtsim::rigid {

// The equations of joint k between bodies that are there.
template <int D>
RTSIM_HD void prepare(const JointSystem<D>& s, Index k, const JointPose<D>& pose,
                      const Weight<D>& a, const Weight<D>& b) {
  const Joint<D>& j = s.joints[k];
  JointRows<D> rows;
  fill_rows(j, pose, s.coordinate[k][0], rows);
  for (int r = 0; r < freedoms<D>; ++r) {
    JointRow<D>& row = rows.row[r];
    if (row.mode == JointRow<D>::driven) {
      s.coordinate[k][row.drive] = row.value;
      if (!has_effect(j.drive[row.drive])) row.mode = JointRow<D>::absent;
    }
    if (row.mode != JointRow<D>::absent) row.inertness = inertness_of(row, a, b);
    s.equations[freedoms<D> * k + r] = row;
  }
  s.arms[k] = rows.arms;
}

// What an impulse p in a row is on body b, and along its coordinate.
template <int D>
RTSIM_HD void add(const JointRow<D>& row, const JointArms<D>& arms, double p,
                  JointImpulse<D>& sum) {
  sum.force = sum.force + p * row.along;
  sum.torque = sum.torque + p * (row.about_b - moment(arms.b, row.along));
  if (row.drive >= 0) sum.drive[row.drive] += p;
}

}  // namespace rtsim::rigid
