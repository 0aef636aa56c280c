#include "shapes/line_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shapes/triangle_tree.h"

namespace rtsim {
namespace {

using Stretches = std::vector<Stretch>;

struct Line {
  Vec3d origin, direction;
};

Stretch overlap(const Stretch& a, const Stretch& b) {
  return {std::max(a.from, b.from), std::min(a.to, b.to)};
}
Stretch hull(const Stretch& a, const Stretch& b) {
  if (a.from > a.to) return b;
  if (b.from > b.to) return a;
  return {std::min(a.from, b.from), std::max(a.to, b.to)};
}
constexpr Stretch nothing{infinity, -infinity}, everything{-infinity, infinity};

// Where low <= p + t v <= high.
Stretch slab(double p, double v, double low, double high) {
  if (v == 0) return p >= low && p <= high ? everything : nothing;
  const double a = (low - p) / v, b = (high - p) / v;
  return {std::min(a, b), std::max(a, b)};
}

// Where |p + t v| <= radius.
Stretch ball(const Vec3d& p, const Vec3d& v, double radius) {
  const double a = dot(v, v), c = dot(p, p) - radius * radius;
  if (a == 0) return c <= 0 ? everything : nothing;
  const double half = dot(p, v), under = half * half - a * c;
  if (under < 0) return nothing;
  // The root of the larger magnitude has no cancellation; the other follows from their product.
  const double q = -(half + std::copysign(std::sqrt(under), half)), r = q / a;
  const double s = q != 0 ? c / q : r;
  return {std::min(r, s), std::max(r, s)};
}

// Within `radius` of the axis from a to b, between its ends.
Stretch barrel(const Line& l, const Vec3d& a, const Vec3d& b, double radius) {
  const double length = norm(b - a);
  if (length == 0) return nothing;
  const Vec3d axis = (1 / length) * (b - a), p = l.origin - a;
  const double along = dot(p, axis), rise = dot(l.direction, axis);
  return overlap(ball(p - along * axis, l.direction - rise * axis, radius),
                 slab(along, rise, 0, length));
}

// Half a space where the normal's side is outside.
Stretch half_space(const Line& l, const Vec3d& point, const Vec3d& normal) {
  return slab(dot(l.origin - point, normal), dot(l.direction, normal), -infinity, 0);
}

bool meets(const Line& l, const Bounds& b) {
  Stretch s = everything;
  for (int a = 0; a < 3; ++a) s = overlap(s, slab(l.origin[a], l.direction[a], b.min[a], b.max[a]));
  return s.from <= s.to;
}

struct Crossing {
  double at;
  bool in;
};

// Edges belong to both of their triangles, so that no line slips through between them.
void cross_triangle(const Line& l, const Vec3d& a, const Vec3d& b, const Vec3d& c,
                    std::vector<Crossing>& found) {
  const Vec3d ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double fall = dot(l.direction, normal);
  if (fall == 0) return;  // along it: the triangles beside it are crossed
  const double t = dot(a - l.origin, normal) / fall;
  const Vec3d x = l.origin + t * l.direction - a;
  const double whole = dot(normal, normal), close = -1e-12 * whole;
  const double v = dot(cross(x, ac), normal), w = dot(cross(ab, x), normal);
  if (v < close || w < close || whole - v - w < close) return;
  found.push_back({t, fall < 0});
}

// A mesh that bounds a solid, from above at least: what lies beyond a last way out is outside.
Stretches cut_mesh(const Line& l, const TriangleTree& tree) {
  std::vector<Crossing> found;
  const auto& nodes = tree.nodes();
  const TriangleMesh& mesh = tree.mesh();
  std::vector<int> open{0};
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    const TriangleTree::Node& node = nodes[std::size_t(n)];
    if (!meets(l, node.box)) continue;
    if (node.count == 0) open.push_back(n + 1), open.push_back(node.first);
    for (int k = 0; k < node.count; ++k) {
      const auto& t = mesh.triangles[std::size_t(node.first + k)];
      cross_triangle(l, mesh.vertices[std::size_t(t[0])], mesh.vertices[std::size_t(t[1])],
                     mesh.vertices[std::size_t(t[2])], found);
    }
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) {
    return a.at < b.at || (a.at == b.at && a.in > b.in);
  });
  Stretches inside;
  for (const Crossing& c : found) {
    const bool is_in = !inside.empty() && inside.back().to == infinity;
    if (c.in && !is_in) inside.push_back({c.at, infinity});
    if (!c.in && !inside.empty())
      inside.back().to = c.at;  // of shells that overlap the last counts
    if (!c.in && inside.empty()) inside.push_back({-infinity, c.at});
  }
  return inside;
}

Stretches one(const Stretch& s) { return s.from <= s.to ? Stretches{s} : Stretches{}; }

Stretches cut_solid(const ShapePart& p, const Line& world) {
  using Kind = ShapePart::Kind;
  const Line l{(1 / p.scale) * p.rotation.apply_inverse(world.origin - p.translation),
               (1 / p.scale) * p.rotation.apply_inverse(world.direction)};
  switch (p.kind) {
    case Kind::box: {
      Stretch s = everything;
      for (int a = 0; a < 3; ++a) s = overlap(s, slab(l.origin[a], l.direction[a], p.a[a], p.b[a]));
      return one(s);
    }
    case Kind::plane:
      return one(half_space(l, p.a, p.b));
    case Kind::capsule:
      return one(
          hull(barrel(l, p.a, p.b, p.radius), hull(ball(l.origin - p.a, l.direction, p.radius),
                                                   ball(l.origin - p.b, l.direction, p.radius))));
    case Kind::cylinder:
      return one(barrel(l, p.a, p.b, p.radius));
    case Kind::ellipsoid: {
      Vec3d from = l.origin - p.a, way = l.direction;
      for (int a = 0; a < 3; ++a) from[a] /= p.b[a], way[a] /= p.b[a];
      return one(ball(from, way, 1));
    }
    case Kind::mesh:
      return cut_mesh(l, *p.tree);
    default:
      return {};  // a polygon lies in the plane
  }
}

Stretches complement(const Stretches& s) {
  Stretches out;
  double from = -infinity;
  for (const Stretch& x : s) {
    if (x.from > from) out.push_back({from, x.from});
    from = x.to;
  }
  if (from < infinity) out.push_back({from, infinity});
  return out;
}

Stretches joined(Stretches a, const Stretches& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end(), [](const Stretch& x, const Stretch& y) { return x.from < y.from; });
  Stretches out;
  for (const Stretch& x : a)
    if (!out.empty() && x.from <= out.back().to)
      out.back().to = std::max(out.back().to, x.to);
    else
      out.push_back(x);
  return out;
}

Stretches common(const Stretches& a, const Stretches& b) {
  Stretches out;
  for (const Stretch& x : a)
    for (const Stretch& y : b)
      if (const Stretch s = overlap(x, y); s.from < s.to) out.push_back(s);
  return out;
}

}  // namespace

std::vector<Stretch> cut_line(const ShapeParts& parts, const Vec3d& origin,
                              const Vec3d& direction) {
  using Kind = ShapePart::Kind;
  std::vector<Stretches> stack;
  const auto pop = [&] {
    Stretches s = std::move(stack.back());
    stack.pop_back();
    return s;
  };
  for (const ShapePart& p : parts.list()) {
    if (p.kind == Kind::inside_out) {
      stack.push_back(complement(pop()));
    } else if (p.kind == Kind::least || p.kind == Kind::greatest) {
      const Stretches b = pop(), a = pop();
      stack.push_back(p.kind == Kind::least ? joined(a, b) : common(a, b));
    } else {
      stack.push_back(cut_solid(p, {origin, direction}));
    }
  }
  return stack.back();
}

}  // namespace rtsim
