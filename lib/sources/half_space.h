#pragma once
#include "region/half_spaces.h"
#include "shapes/motion.h"

namespace rtsim {

// Adds the half-space m . local < offset of a shape where it was put, as it is at a pose: with
// local = R^T (x - t), n = R m and n . x < offset + n . t.
inline void add_half_space(region::HalfSpaces& region, const Pose& pose, const Vec3d& m,
                           double offset) {
  Vec3d n;
  for (int a = 0; a < 3; ++a) n[a] = dot(pose.row[a], m);
  region.normal[region.count] = narrow<3>(n);
  region.offset[region.count++] = Real(offset + dot(n, pose.translation));
}

}  // namespace rtsim
