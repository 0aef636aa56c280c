#include "convert/body_poses.h"

#include <cmath>
#include <map>

#include "convert/columns.h"

namespace rtsim {

namespace {

// q* v q, v turned back into the body's axes: v + 2 u x (u x v - w v) for q = (u, w), since the
// conjugate has -u: v - 2 w (u x v) + 2 u x (u x v).
Vec3d turned_back(const BodyPose& p, const Vec3d& v) {
  const Vec3d u{{p.q[0], p.q[1], p.q[2]}}, t = cross(u, v);
  return v - (2.0 * p.q[3]) * t + 2.0 * cross(u, t);
}

}  // namespace

BodyPose pose_of(const FrameObject& o, std::size_t body) {
  const FrameColumn &x = *column_named(o, "position"), &r = *column_named(o, "orientation");
  BodyPose p{};
  for (int a = 0; a < x.type.components; ++a) p.x[a] = value<float>(x, body, a);
  if (r.type.components == 4) {
    for (int a = 0; a < 4; ++a) p.q[a] = value<float>(r, body, a);
    return p;
  }
  // (cos, sin) of an angle about z.
  const double angle = std::atan2(value<double>(r, body, 1), value<double>(r, body, 0));
  p.q[2] = float(std::sin(angle / 2)), p.q[3] = float(std::cos(angle / 2));
  return p;
}

void keep_sign(BodyPose& p, const BodyPose& last) {
  float dot = 0;
  for (int a = 0; a < 4; ++a) dot += p.q[a] * last.q[a];
  for (float& q : p.q) q = dot < 0 ? -q : q;
}

BodyMesh mesh_of(const FrameObject& o, std::size_t body) {
  const BodyPose pose = pose_of(o, body);
  std::map<std::int32_t, std::uint32_t> numbers;
  BodyMesh mesh;
  for (std::size_t k = 0; k < o.surface.triangles.size(); ++k) {
    if (o.surface.body[k / 3] != std::int32_t(body)) continue;
    const std::int32_t corner = o.surface.triangles[k];
    const auto [at, is_new] = numbers.try_emplace(corner, std::uint32_t(numbers.size()));
    mesh.corners.push_back(at->second);
    if (!is_new) continue;
    Vec3d x;
    for (int a = 0; a < 3; ++a)
      x[a] = double(o.surface.points[3 * std::size_t(corner) + std::size_t(a)]) - pose.x[a];
    x = turned_back(pose, x);
    for (int a = 0; a < 3; ++a) mesh.points.push_back(float(x[a]));
  }
  return mesh;
}

}  // namespace rtsim
