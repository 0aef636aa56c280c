#pragma once
#include "base/nearest_on_triangle.h"

// Two features of meshes and their points: a point and a triangle (0; 1, 2, 3), two edges (0, 1;
// 2, 3), or two points (0; 1). In double: the distances of layers that lie on each other are small
// differences of places.
namespace rtsim::contact {

enum class Features : std::int32_t { point_triangle, edges, points };

// Where two features are nearest: gap = sum of weight[k] x[k], from the second to the first.
struct Gap {
  Vec3d vector;  // [m]
  double weight[4];

  RTSIM_HD double distance() const { return norm(vector); }
};

RTSIM_HD inline Gap point_to_triangle(const Vec3d* x) {
  const OnTriangle<double> on = nearest_on_triangle(x[0], x + 1);
  return {x[0] - on.point, {1, -on.weight[0], -on.weight[1], -on.weight[2]}};
}

RTSIM_HD inline double unit_part(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// Ericson, "Real-Time Collision Detection" (2005), section 5.1.9.
RTSIM_HD inline Gap edge_to_edge(const Vec3d* x) {
  const Vec3d d1 = x[1] - x[0], d2 = x[3] - x[2], r = x[0] - x[2];
  const double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, r), c = dot(d1, r), b = dot(d1, d2);
  const double denominator = a * e - b * b;
  double s = denominator > 1e-12 * a * e ? unit_part((b * f - c * e) / denominator) : 0;
  double t = e > 0 ? (b * s + f) / e : 0;
  if (t < 0 || t > 1) {
    t = unit_part(t);
    s = a > 0 ? unit_part((b * t - c) / a) : 0;
  }
  return {r + s * d1 - t * d2, {1 - s, s, t - 1, -t}};
}

RTSIM_HD inline Gap gap_of(Features kind, const Vec3d* x) {
  switch (kind) {
    case Features::points:
      return {x[0] - x[1], {1, -1, 0, 0}};
    case Features::edges:
      return edge_to_edge(x);
    case Features::point_triangle:
      break;
  }
  return point_to_triangle(x);
}

// Li, Kaufman & Jiang, "Codimensional Incremental Potential Contact" (2021), algorithm 1: additive
// advancement. Whether the features come nearer than `separation`, which they are `first` further
// apart than, while their points move from x straight by `way`, all in one time. Never says no
// where they do.
RTSIM_HD inline bool meet(Features kind, Vec3d* x, Vec3d* way, double first, double separation) {
  const Vec3d mean = 0.25 * (way[0] + way[1] + way[2] + way[3]);
  double length[4];
  for (int k = 0; k < 4; ++k) way[k] = way[k] - mean, length[k] = norm(way[k]);
  const auto longer = [](double a, double b) { return a > b ? a : b; };
  const double fastest = kind == Features::edges
                             ? longer(length[0], length[1]) + longer(length[2], length[3])
                             : length[0] + longer(length[1], longer(length[2], length[3]));
  if (!(fastest > 0)) return false;
  double room = first, t = 0;
  for (int k = 0; k < 200; ++k) {
    const double step = 0.9 * room / fastest;
    t += step;
    if (t >= 1) return false;
    for (int j = 0; j < 4; ++j) x[j] = x[j] + step * way[j];
    room = gap_of(kind, x).distance() - separation;
    if (!(room > 0.1 * first)) return true;
  }
  return true;
}

// Whether the segment from x[0] to x[1] goes through the triangle of the other three.
RTSIM_HD inline bool pierces(const Vec3d* x) {
  const auto volume = [](const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    return dot(b - a, cross(c - a, d - a));
  };
  const double above = volume(x[2], x[3], x[4], x[0]), below = volume(x[2], x[3], x[4], x[1]);
  if (!(above * below < 0)) return false;
  const double p = volume(x[0], x[1], x[2], x[3]), q = volume(x[0], x[1], x[3], x[4]),
               r = volume(x[0], x[1], x[4], x[2]);
  return (p > 0 && q > 0 && r > 0) || (p < 0 && q < 0 && r < 0);
}

}  // namespace rtsim::contact
