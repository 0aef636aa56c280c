#pragma once
#include <vector>

#include "exec/buffer.h"
#include "rigid/shapes/part.h"
#include "shapes/shape_parts.h"

namespace rtsim {

// The triangles of a boundary's mesh, and the tree that finds those in a box. An open mesh has
// both sides of each.
struct MeshParts {
  std::vector<TriangleTree::Node> nodes;
  Rotation rotation;
  Vec3d translation;
  double scale;
  Index first_part = 0;             // of the set
  Index inside = -1;                // the part for bodies that are inside of what it bounds
  int sides = 1;                    // parts a triangle
  std::vector<std::uint8_t> taken;  // none: all; of a height map those that are not its rim's

  struct Side {
    Vec3d corner[3];
    int open;  // bits of its edges that stick out
  };
  std::vector<Side> triangles;  // placed in the world; only while parts are made

  MeshParts(const ShapePart& mesh, const ShapePart* within);
  // Parts whose boxes meet a box of the boundary's frame.
  template <class Visit>
  void visit(const Vec3d& low, const Vec3d& high, const Visit&) const;
};

template <class Visit>
void MeshParts::visit(const Vec3d& low, const Vec3d& high, const Visit& visit) const {
  Vec3d from = rotation.apply_inverse(low - translation), to = from;
  for (int k = 1; k < 8; ++k) {
    const Vec3d x{{k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]}};
    const Vec3d own = rotation.apply_inverse(x - translation);
    for (int a = 0; a < 3; ++a)
      from[a] = own[a] < from[a] ? own[a] : from[a], to[a] = own[a] > to[a] ? own[a] : to[a];
  }
  from = (1 / scale) * from, to = (1 / scale) * to;
  std::vector<int> waiting{0};
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    const TriangleTree::Node& n = nodes[std::size_t(at)];
    bool meets = true;
    for (int a = 0; a < 3; ++a) meets = meets && n.box.min[a] <= to[a] && n.box.max[a] >= from[a];
    if (!meets) continue;
    if (n.count == 0) {
      waiting.push_back(n.first), waiting.push_back(at + 1);
      continue;
    }
    for (int t = n.first; t < n.first + n.count; ++t)
      if (taken.empty() || taken[std::size_t(t)])
        for (int s = 0; s < sides; ++s) visit(first_part + sides * t + s);
  }
}

}  // namespace rtsim
