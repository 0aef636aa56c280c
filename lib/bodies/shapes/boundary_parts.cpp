#include "bodies/shapes/boundary_parts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace rtsim {

namespace {

using Kind = ShapePart::Kind;

// A shape, or an operation on others.
struct Node {
  const ShapePart* part;
  std::vector<Node> operands;
};

Node tree_of(const std::vector<ShapePart>& postfix) {
  std::vector<Node> pending;
  for (const ShapePart& p : postfix) {
    Node n{&p, {}};
    const bool pair = p.kind == Kind::least || p.kind == Kind::greatest;
    const std::size_t takes = pair ? 2 : p.kind == Kind::inside_out ? 1 : 0;
    for (std::size_t k = 0; k < takes; ++k)
      n.operands.push_back(std::move(pending[pending.size() - takes + k]));
    pending.resize(pending.size() - takes);
    pending.push_back(std::move(n));
  }
  return std::move(pending.front());
}

Vec3d place(const ShapePart& s, const Vec3d& x) {
  return s.translation + s.scale * s.rotation.apply(x);
}

ConvexPart box_part(const ShapePart& s, int dim) {
  ConvexPart c{ConvexPart::Kind::box, {}, {}};
  const auto at = [&](int k) {
    return place(s, {{k & 1 ? s.b[0] : s.a[0], k & 2 ? s.b[1] : s.a[1],
                      dim == 2 ? 0
                      : k & 4  ? s.b[2]
                               : s.a[2]}});
  };
  if (dim == 2) {
    c.points = {at(0), at(1), at(3), at(2)};
    return c;
  }
  for (int k = 0; k < 8; ++k) c.points.push_back(at(k));
  c.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return c;
}

ConvexPart round_part(const ShapePart& s) {
  const bool ball = s.kind == Kind::capsule && s.a == s.b;
  ConvexPart c{s.kind == Kind::cylinder ? ConvexPart::Kind::cylinder
               : ball                   ? ConvexPart::Kind::sphere
                                        : ConvexPart::Kind::capsule,
               {place(s, s.a)},
               {}};
  if (!ball) c.points.push_back(place(s, s.b));
  c.radius = s.scale * s.radius;
  return c;
}

// In the plane.
ConvexPart ellipse_part(const ShapePart& s) {
  constexpr int corners = 64;
  ConvexPart c{ConvexPart::Kind::hull, {}, {}};
  for (int k = 0; k < corners; ++k) {
    const double t = 2 * pi * k / corners;
    c.points.push_back(place(s, s.a + Vec3d{{s.b[0] * std::cos(t), s.b[1] * std::sin(t), 0}}));
  }
  return c;
}

double twice_area(const std::vector<Vec3d>& p) {
  double sum = 0;
  for (std::size_t k = 1; k + 1 < p.size(); ++k) sum += cross(p[k] - p[0], p[k + 1] - p[0])[2];
  return sum;
}

// Of a polygon, corners counter-clockwise; none unless it is convex.
std::vector<Vec3d> convex_corners(const ShapePart& s) {
  std::vector<Vec3d> p;
  for (const Vec3d& x : s.corners) p.push_back(place(s, x));
  if (twice_area(p) < 0) std::reverse(p.begin(), p.end());
  const std::size_t n = p.size();
  for (std::size_t k = 0; k < n; ++k)
    if (cross(p[(k + 1) % n] - p[k], p[(k + 2) % n] - p[(k + 1) % n])[2] < 0) return {};
  return p;
}

class Collect {
 public:
  explicit Collect(int dim) : dim_(dim) {}

  // `outside`: the solid is what lies outside of the node.
  void add(const Node& n, bool outside) {
    const Kind k = n.part->kind;
    if (k == Kind::inside_out) return add(n.operands[0], !outside);
    if (k == (outside ? Kind::greatest : Kind::least)) {
      for (const Node& o : n.operands) add(o, outside);
      return;
    }
    if (k == Kind::least || k == Kind::greatest) return add_common(n, outside);
    if (!(outside ? add_outside(*n.part) : add_solid(*n.part))) found.rest = true;
  }

  BoundaryParts found;

 private:
  // Height maps are a terrain that has no rim, within a box.
  void add_common(const Node& n, bool outside) {
    const ShapePart &one = *n.operands[0].part, &two = *n.operands[1].part;
    const bool terrain = !outside && one.kind == Kind::mesh && two.kind == Kind::box &&
                         !one.normals.sides.empty() && open_edges(one.tree->mesh()) > 0;
    if (!terrain) {
      found.rest = true;
      return;
    }
    found.meshes.push_back(&one), found.within.push_back(&two);
  }

  bool add_solid(const ShapePart& s) {
    switch (s.kind) {
      case Kind::plane:
        found.planes.push_back({place(s, s.a), s.rotation.apply(s.b)});
        return true;
      case Kind::box:
        found.convex.push_back(box_part(s, dim_));
        return true;
      case Kind::capsule:
      case Kind::cylinder:
        found.convex.push_back(round_part(s));
        return true;
      case Kind::ellipsoid:
        if (dim_ == 2) found.convex.push_back(ellipse_part(s));
        return dim_ == 2;
      case Kind::polygon: {
        const std::vector<Vec3d> p = convex_corners(s);
        if (!p.empty()) found.convex.push_back({ConvexPart::Kind::hull, p, {}});
        return !p.empty();
      }
      case Kind::mesh:
        found.meshes.push_back(&s), found.within.push_back(nullptr);
        return true;
      default:
        return false;
    }
  }

  // Outside of what is convex and has flat faces: a plane for each of them.
  bool add_outside(const ShapePart& s) {
    if (s.kind == Kind::plane) {
      found.planes.push_back({place(s, s.a), -s.rotation.apply(s.b)});
      return true;
    }
    if (s.kind == Kind::box) {
      for (int a = 0; a < dim_; ++a) {
        Vec3d n{};
        n[a] = 1;
        const Vec3d inwards = s.rotation.apply(n);
        Vec3d low = s.a, high = s.b;
        if (dim_ == 2) low[2] = high[2] = 0;
        found.planes.push_back({place(s, low), inwards});
        found.planes.push_back({place(s, high), -inwards});
      }
      return true;
    }
    if (s.kind != Kind::polygon) return false;
    const std::vector<Vec3d> p = convex_corners(s);
    for (std::size_t k = 0; k < p.size(); ++k) {
      const Vec3d along = p[(k + 1) % p.size()] - p[k];
      found.planes.push_back({p[k], {{-along[1], along[0], 0}}});
    }
    return !p.empty();
  }

  int dim_;
};

}  // namespace

BoundaryParts boundary_parts(const std::vector<ShapePart>& parts, int dim) {
  Collect c(dim);
  c.add(tree_of(parts), false);
  return std::move(c.found);
}

}  // namespace rtsim
