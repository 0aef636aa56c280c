#include "bodies/shapes/mesh_parts.h"

#include <array>
#include <cmath>
#include <map>

namespace rtsim {

namespace {

// Edges that stick out by more than this angle [rad] are felt as such; bodies slide over the rest.
constexpr double flat_angle = 0.087;

Vec3d normal_of(const Vec3d* p) {
  const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : n;
}

class Edges {
 public:
  explicit Edges(const TriangleMesh& m) : mesh_(m) {
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) around_[key(int(t), k)].push_back(int(t));
  }

  // Whether edge k of a triangle is one of the surface's own, seen from its front or back. Edges
  // without neighbours are.
  bool sticks_out(int t, int k, bool back) const {
    const std::vector<int>& both = around_.at(key(t, k));
    if (both.size() != 2) return true;
    Vec3d own[3], other[3];
    corners(t, own), corners(both[0] == t ? both[1] : both[0], other);
    Vec3d n = normal_of(own);
    if (back) n = -n;
    const double cosine = dot(normal_of(own), normal_of(other));
    double over = 0;  // of the neighbour's corners
    for (const Vec3d& x : other) {
      const double d = dot(x - own[k], n);
      if (std::abs(d) > std::abs(over)) over = d;
    }
    return over < 0 && cosine < std::cos(flat_angle);
  }
  void corners(int t, Vec3d* p) const {
    for (int k = 0; k < 3; ++k)
      p[k] = mesh_.vertices[std::size_t(mesh_.triangles[std::size_t(t)][std::size_t(k)])];
  }

 private:
  std::pair<int, int> key(int t, int k) const {
    const auto& c = mesh_.triangles[std::size_t(t)];
    return std::minmax(int(c[std::size_t(k)]), int(c[std::size_t((k + 1) % 3)]));
  }
  const TriangleMesh& mesh_;
  std::map<std::pair<int, int>, std::vector<int>> around_;
};

// A height map's rim lies outside of its box.
bool lies_within(const Vec3d* p, const ShapePart& box) {
  const Vec3d c = (1.0 / 3) * (p[0] + p[1] + p[2]);
  for (int a = 0; a < 3; ++a)
    if (c[a] < box.a[a] || c[a] > box.b[a]) return false;
  return true;
}

}  // namespace

MeshParts::MeshParts(const ShapePart& mesh, const ShapePart* within)
    : nodes(mesh.tree->nodes()),
      rotation(mesh.rotation),
      translation(mesh.translation),
      scale(mesh.scale),
      sides(mesh.normals.sides.empty() ? 2 : 1) {
  const TriangleMesh& m = mesh.tree->mesh();
  const Edges edges(m);
  for (int t = 0; t < int(m.triangles.size()); ++t) {
    Vec3d p[3];
    edges.corners(t, p);
    if (within) taken.push_back(lies_within(p, *within));
    for (int s = 0; s < sides; ++s) {
      Side side{};
      for (int k = 0; k < 3; ++k) {
        const int from = s == 0 ? k : (3 - k) % 3;  // backwards: 0, 2, 1
        side.corner[k] = translation + scale * rotation.apply(p[from]);
        const int edge = s == 0 ? k : 2 - k;  // from corner k to the next
        side.open |= int(edges.sticks_out(t, edge, s == 1)) << k;
      }
      triangles.push_back(side);
    }
  }
}

}  // namespace rtsim
