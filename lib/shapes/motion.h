#pragma once
#include <vector>

#include "shapes/shape.h"

namespace rtsim {

// Where a moving shape is at a time, and how fast: x(t) = origin + rotation * (local - origin0)
// written as one affine map, v(x) = velocity + angular x (x - centre).
struct Pose {
  Vec3d row[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};  // rotation, by rows
  Vec3d translation;                                       // [m]
  Vec3d velocity;                                          // [m/s] of the point at `centre`
  Vec3d angular_velocity;                                  // [rad/s]
  Vec3d centre;                                            // [m]

  Vec3d apply(const Vec3d& local) const;
  Vec3d to_local(const Vec3d& x) const {  // the inverse of apply
    const Vec3d d = x - translation;
    return d[0] * row[0] + d[1] * row[1] + d[2] * row[2];
  }
  Vec3d velocity_at(const Vec3d& x) const;
};

bool moves(const MotionSpec&);
Pose pose_at(const MotionSpec&, double time);
// Moments that show all of its velocities, and both ends of each way: 0, and of keyframes their
// times and the middles between.
std::vector<double> moments_of(const MotionSpec&);
// The fastest that places on a shape's surface, in its own frame, go along their normals [m/s].
double greatest_normal_speed(const MotionSpec&, const Shape&, const std::vector<Vec3d>& surface);

}  // namespace rtsim
