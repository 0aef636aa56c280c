#include "shapes/motion.h"

#include <algorithm>
#include <cmath>

#include "shapes/rotation.h"

namespace rtsim {
namespace {

// x = centre + shift + R (local - centre): the map of a turn about `centre` and a shift.
Pose placed(const Rotation& r, const Vec3d& centre, const Vec3d& shift) {
  Pose pose;
  for (int i = 0; i < 3; ++i) pose.row[i] = r.row[i];
  pose.translation = centre + shift - r.apply(centre);
  pose.centre = centre + shift;
  return pose;
}

Vec3d unit(const Vec3d& v) { return norm(v) > 0 ? (1 / norm(v)) * v : v; }

struct Quaternion {
  double w;
  Vec3d v;
};

Quaternion quaternion(const KeyframeSpec& k) {
  const double half = 0.5 * k.angle * pi / 180;
  return {std::cos(half), std::sin(half) * unit(k.axis)};
}

// The rotation vector [rad] that leads from one orientation to the next, in the fixed frame. About
// one axis angles count as they stand, so that 0 to 720 degrees turns twice; where axes differ it
// is the shortest turn, phi = 2 atan2(|v|, w) v / |v| of q1 q0*.
Vec3d turn_between(const KeyframeSpec& from, const KeyframeSpec& to) {
  if (unit(from.axis) == unit(to.axis)) return ((to.angle - from.angle) * pi / 180) * unit(to.axis);
  const Quaternion a = quaternion(from), b = quaternion(to);
  double w = b.w * a.w + dot(b.v, a.v);
  Vec3d v = a.w * b.v - b.w * a.v - cross(b.v, a.v);
  if (w < 0) w = -w, v = -v;
  return (2 * std::atan2(norm(v), w)) * unit(v);
}

Rotation rotation_of(const KeyframeSpec& k) { return rotation_about(k.axis, k.angle * pi / 180); }

// Between two keyframes, with s from 0 to 1: shift linear, R = Exp(s phi) R_from.
Pose between(const KeyframeSpec& from, const KeyframeSpec& to, const Vec3d& centre, double time) {
  const double span = to.time - from.time, s = (time - from.time) / span;
  const Vec3d phi = turn_between(from, to), way = to.translate - from.translate;
  const Rotation r = product(rotation_about(phi, s * norm(phi)), rotation_of(from));
  Pose pose = placed(r, centre, from.translate + s * way);
  pose.velocity = (1 / span) * way;
  pose.angular_velocity = (1 / span) * phi;
  return pose;
}

// At a keyframe the velocity is that of the segment which ends there, as a step's displacement is.
Pose keyframed(const MotionSpec& m, double time) {
  const auto& keys = m.keyframes;
  const auto next = std::lower_bound(keys.begin(), keys.end(), time,
                                     [](const KeyframeSpec& k, double t) { return k.time < t; });
  if (next == keys.begin())
    return placed(rotation_of(keys.front()), m.centre, keys.front().translate);
  if (next == keys.end()) return placed(rotation_of(keys.back()), m.centre, keys.back().translate);
  return between(*(next - 1), *next, m.centre, time);
}

}  // namespace

Vec3d Pose::apply(const Vec3d& local) const {
  return {{dot(row[0], local) + translation[0], dot(row[1], local) + translation[1],
           dot(row[2], local) + translation[2]}};
}

Vec3d Pose::velocity_at(const Vec3d& x) const {
  return velocity + cross(angular_velocity, x - centre);
}

bool moves(const MotionSpec& m) {
  return !(m.velocity == Vec3d{}) || m.spin != 0 || !m.keyframes.empty();
}

Pose pose_at(const MotionSpec& m, double time) {
  if (!m.keyframes.empty()) return keyframed(m, time);
  Pose pose = placed(rotation_about(m.spin_axis, m.spin * time), m.centre, time * m.velocity);
  pose.velocity = m.velocity;
  pose.angular_velocity = m.spin * unit(m.spin_axis);
  return pose;
}

std::vector<double> moments_of(const MotionSpec& m) {
  std::vector<double> all{0};
  for (std::size_t k = 0; k < m.keyframes.size(); ++k) {
    if (k > 0) all.push_back(0.5 * (m.keyframes[k - 1].time + m.keyframes[k].time));
    all.push_back(m.keyframes[k].time);
  }
  return all;
}

// A little beside a place on the surface, where the distance of a sheet has a slope, too.
static Vec3d normal_beside(const Shape& shape, const Vec3d& x) {
  const auto along = [](Vec3d at, int axis, double step) {
    at[axis] += step;
    return at;
  };
  const double aside = 1e-4 * (1 + norm(x));
  Vec3d farthest = x, n;
  for (int a = 0; a < 3; ++a)
    for (const double step : {-aside, aside})
      if (const Vec3d at = along(x, a, step);
          std::abs(shape.distance(at)) > std::abs(shape.distance(farthest)))
        farthest = at;
  for (int a = 0; a < 3; ++a)
    n[a] = shape.distance(along(farthest, a, 1e-2 * aside)) -
           shape.distance(along(farthest, a, -1e-2 * aside));
  return unit(n);
}

double greatest_normal_speed(const MotionSpec& m, const Shape& shape,
                             const std::vector<Vec3d>& surface) {
  std::vector<Vec3d> normal;
  for (const Vec3d& x : surface) normal.push_back(normal_beside(shape, x));
  double fastest = 0;
  for (const double time : moments_of(m)) {
    const Pose pose = pose_at(m, time);
    for (std::size_t k = 0; k < surface.size(); ++k) {
      Vec3d n;
      for (int a = 0; a < 3; ++a) n[a] = dot(pose.row[a], normal[k]);
      fastest = std::max(fastest, std::abs(dot(n, pose.velocity_at(pose.apply(surface[k])))));
    }
  }
  return fastest;
}

}  // namespace rtsim
