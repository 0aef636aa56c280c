#pragma once
#include <string>

#include "boundary/place_samples.h"
#include "world/world.h"

namespace rtsim {

// Asks for the pose of a boundary that moves, while stages are made.
inline void request_pose(World& world, const std::string& boundary) {
  const std::string table = pose_table(boundary);
  if (!world.has_table(table))
    world.add_table(table, pose_rows).add<Vec3d>({"pose", "", Role::scratch});
}

// At the end of the present step; of one that never moves, where its shape was put.
inline boundary::Pose pose_of(World& world, const std::string& boundary) {
  boundary::Pose p;
  if (!world.has_table(pose_table(boundary))) return p;
  const auto rows = world.table(pose_table(boundary)).download<Vec3d>("pose");
  for (std::size_t k = 0; k < 3; ++k) p.rotation[k] = narrow<3>(rows[k]);
  p.translation = narrow<3>(rows[3]), p.velocity = narrow<3>(rows[4]);
  p.angular_velocity = narrow<3>(rows[5]), p.centre = narrow<3>(rows[6]);
  return p;
}

}  // namespace rtsim
