#pragma once
#include <cstdint>
#include <vector>

#include "cache/frame.h"

namespace rtsim {

// Where a body is: x, y, z [m], and the quaternion (x, y, z, w) from its axes to the world's.
struct BodyPose {
  float x[3], q[4];
};
BodyPose pose_of(const FrameObject&, std::size_t body);

// Both q and -q are one rotation; the nearer to the last is taken, so that a viewer turns the body
// the short way.
void keep_sign(BodyPose&, const BodyPose& last);

// The points that the triangles of one body have, in its own axes, and the triangles among them.
struct BodyMesh {
  std::vector<float> points;
  std::vector<std::uint32_t> corners;
};
BodyMesh mesh_of(const FrameObject&, std::size_t body);

}  // namespace rtsim
