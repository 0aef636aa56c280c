#include "shapes/winding.h"

#include <algorithm>
#include <cmath>

namespace rtsim {
namespace {

constexpr double four_pi = 4 * 3.14159265358979323846;
constexpr double far = 2;  // reaches of a node from which its dipole does

}  // namespace

// A. van Oosterom & J. Strackee, "The Solid Angle of a Plane Triangle", IEEE Transactions on
// Biomedical Engineering 30(2), 1983, eq. 8.
double winding_of_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& x) {
  const Vec3d u = a - x, v = b - x, w = c - x;
  const double nu = norm(u), nv = norm(v), nw = norm(w);
  const double above = dot(u, cross(v, w));
  const double below = nu * nv * nw + dot(u, v) * nw + dot(v, w) * nu + dot(w, u) * nv;
  return 2 * std::atan2(above, below) / four_pi;
}

WindingNumbers::WindingNumbers(const TriangleTree& tree) : tree_(tree) {
  const TriangleMesh& m = tree.mesh();
  const auto& nodes = tree.nodes();
  dipoles_.resize(nodes.size());
  std::vector<double> weight(nodes.size());  // area, of either way
  // Children stand behind their parents.
  for (std::size_t n = nodes.size(); n-- > 0;) {
    Dipole& d = dipoles_[n];
    d = {};
    Vec3d sum;
    const auto add = [&](const Vec3d& centre, const Vec3d& area, double size) {
      d.area = d.area + area, sum = sum + size * centre, weight[n] += size;
    };
    if (nodes[n].count > 0) {
      for (int i = nodes[n].first; i < nodes[n].first + nodes[n].count; ++i) {
        const auto& t = m.triangles[std::size_t(i)];
        const Vec3d &a = m.vertices[std::size_t(t[0])], &b = m.vertices[std::size_t(t[1])],
                    &c = m.vertices[std::size_t(t[2])];
        const Vec3d area = 0.5 * cross(b - a, c - a);
        add((1.0 / 3) * (a + b + c), area, norm(area));
      }
    } else {
      for (const std::size_t child : {n + 1, std::size_t(nodes[n].first)})
        add(dipoles_[child].centre, dipoles_[child].area, weight[child]);
    }
    const Bounds& box = nodes[n].box;
    d.centre = weight[n] > 0 ? (1 / weight[n]) * sum : 0.5 * (box.min + box.max);
    Vec3d corner;  // of its box, the farthest from the centre
    for (int k = 0; k < 3; ++k)
      corner[k] = std::max(box.max[k] - d.centre[k], d.centre[k] - box.min[k]);
    d.reach = norm(corner);
  }
}

double WindingNumbers::at(const Vec3d& x) const {
  const TriangleMesh& m = tree_.mesh();
  int stack[64], waiting = 0;  // 2^31 triangles are halved in at most 31 levels
  stack[waiting++] = 0;
  double sum = 0;
  while (waiting > 0) {
    const auto n = std::size_t(stack[--waiting]);
    const Dipole& d = dipoles_[n];
    const Vec3d away = d.centre - x;
    const double distance = norm(away);
    if (distance > far * d.reach) {
      sum += dot(away, d.area) / (four_pi * distance * distance * distance);
      continue;
    }
    const auto& node = tree_.nodes()[n];
    if (node.count == 0) {
      stack[waiting++] = node.first, stack[waiting++] = int(n) + 1;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      const auto& t = m.triangles[std::size_t(i)];
      sum += winding_of_triangle(m.vertices[std::size_t(t[0])], m.vertices[std::size_t(t[1])],
                                 m.vertices[std::size_t(t[2])], x);
    }
  }
  return sum;
}

}  // namespace rtsim
