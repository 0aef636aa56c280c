#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "base/vec.h"
#include "contact/box_tree.h"
#include "shapes/triangle_tree.h"

// Meshes and their trees as kernels take them.
namespace rtsim {

inline std::vector<Vec<3>> narrowed(const std::vector<Vec3d>& values) {
  std::vector<Vec<3>> r;
  r.reserve(values.size());
  for (const Vec3d& v : values) r.push_back(narrow<3>(v));
  return r;
}

template <class Triple>
std::vector<contact::Corners3> corners_of(const std::vector<Triple>& triples) {
  std::vector<contact::Corners3> r;
  for (const auto& t : triples) r.push_back({{t[0], t[1], t[2]}});
  return r;
}

// Boxes are rounded outwards, so that none loses what it holds.
inline std::vector<contact::BoxNode> rounded(const std::vector<TriangleTree::Node>& nodes) {
  constexpr Real far = std::numeric_limits<Real>::infinity();
  std::vector<contact::BoxNode> r;
  for (const TriangleTree::Node& n : nodes) {
    contact::BoxNode b{narrow<3>(n.box.min), narrow<3>(n.box.max), n.first, n.count};
    for (int a = 0; a < 3; ++a)
      b.low[a] = std::nextafter(b.low[a], -far), b.high[a] = std::nextafter(b.high[a], far);
    r.push_back(b);
  }
  return r;
}

}  // namespace rtsim
