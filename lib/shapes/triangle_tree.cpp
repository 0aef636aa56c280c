#include "shapes/triangle_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rtsim {
namespace {

constexpr int leaf_size = 4;

double squared_distance(const Bounds& box, const Vec3d& x) {
  double d2 = 0;
  for (int a = 0; a < 3; ++a) {
    const double q = std::max(std::max(box.min[a] - x[a], x[a] - box.max[a]), 0.0);
    d2 += q * q;
  }
  return d2;
}

int longest_side(const Bounds& box) {
  const Vec3d size = box.max - box.min;
  return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
}

}  // namespace

TriangleTree::TriangleTree(TriangleMesh mesh) : mesh_(std::move(mesh)) {
  const int n = int(mesh_.triangles.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<Vec3d> centres;
  centres.reserve(n);
  for (const auto& t : mesh_.triangles)
    centres.push_back(mesh_.vertices[t[0]] + mesh_.vertices[t[1]] + mesh_.vertices[t[2]]);
  nodes_.reserve(2 * (n / 2 + 1));
  grow(order, centres, 0, n);

  auto triangles = mesh_.triangles;
  for (int i = 0; i < n; ++i) triangles[i] = mesh_.triangles[order[i]];
  mesh_.triangles = std::move(triangles);
}

Bounds TriangleTree::box_of(const std::vector<int>& order, int first, int count) const {
  const Vec3d& start = mesh_.vertices[mesh_.triangles[order[first]][0]];
  Bounds box{start, start};
  for (int i = first; i < first + count; ++i)
    for (const int v : mesh_.triangles[order[i]])
      for (int a = 0; a < 3; ++a) {
        box.min[a] = std::min(box.min[a], mesh_.vertices[v][a]);
        box.max[a] = std::max(box.max[a], mesh_.vertices[v][a]);
      }
  return box;
}

void TriangleTree::grow(std::vector<int>& order, const std::vector<Vec3d>& centres, int first,
                        int count) {
  const int node = int(nodes_.size());
  nodes_.push_back({box_of(order, first, count), first, count});
  if (count <= leaf_size) return;
  const int axis = longest_side(nodes_[node].box), half = count / 2;
  const auto begin = order.begin() + first;
  std::nth_element(begin, begin + half, begin + count, [&](int i, int j) {
    return centres[i][axis] != centres[j][axis] ? centres[i][axis] < centres[j][axis] : i < j;
  });
  grow(order, centres, first, half);
  nodes_[node].first = int(nodes_.size());
  nodes_[node].count = 0;
  grow(order, centres, first + half, count - half);
}

void TriangleTree::nearest_in_leaf(const Node& leaf, const Vec3d& x, NearestPoint& best) const {
  for (int i = leaf.first; i < leaf.first + leaf.count; ++i) {
    const auto& t = mesh_.triangles[i];
    const Vec3d p[3] = {mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]};
    const OnTriangle<double> q = nearest_on_triangle(x, p);
    const double d2 = dot(x - q.point, x - q.point);
    if (d2 < best.distance) best = {d2, q.point, i, q.feature};
  }
}

NearestPoint TriangleTree::nearest(const Vec3d& x) const {
  struct Waiting {
    int node;
    double d2;
  } stack[64];  // the median halves 2^31 triangles in at most 31 levels
  int waiting = 0;
  NearestPoint best{
      std::numeric_limits<double>::infinity(), {}, 0, {TriangleFeature::Kind::face, 0}};
  stack[waiting++] = {0, 0};
  while (waiting > 0) {
    const Waiting top = stack[--waiting];
    if (top.d2 >= best.distance) continue;
    const Node& node = nodes_[top.node];
    if (node.count > 0) {
      nearest_in_leaf(node, x, best);
      continue;
    }
    Waiting near{top.node + 1, squared_distance(nodes_[top.node + 1].box, x)};
    Waiting far{node.first, squared_distance(nodes_[node.first].box, x)};
    if (far.d2 < near.d2) std::swap(near, far);
    stack[waiting++] = far;
    stack[waiting++] = near;
  }
  best.distance = std::sqrt(best.distance);
  return best;
}

}  // namespace rtsim
