#include "cache/mesh_faces.h"

#include <algorithm>

namespace rtsim {

namespace {

using Face = std::array<std::int32_t, 3>;

// Of tetrahedra of positive volume, det(b - a, c - a, d - a) > 0.
std::vector<Face> outer_faces(const std::vector<std::int32_t>& tets) {
  struct Seen {
    Face corners, face;  // in order, and as seen from outside
  };
  std::vector<Seen> seen;
  seen.reserve(tets.size());
  for (std::size_t t = 0; t < tets.size(); t += 4) {
    const std::int32_t a = tets[t], b = tets[t + 1], c = tets[t + 2], d = tets[t + 3];
    for (const Face& f : {Face{b, c, d}, Face{a, d, c}, Face{a, b, d}, Face{a, c, b}}) {
      Face corners = f;
      std::sort(corners.begin(), corners.end());
      seen.push_back({corners, f});
    }
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const Seen& x, const Seen& y) { return x.corners < y.corners; });
  std::vector<Face> faces;
  for (std::size_t k = 0; k < seen.size();) {
    std::size_t end = k + 1;
    while (end < seen.size() && seen[end].corners == seen[k].corners) ++end;
    if (end == k + 1) faces.push_back(seen[k].face);
    k = end;
  }
  return faces;
}

}  // namespace

std::vector<Face> visible_faces(const FrameCells& cells) {
  const std::vector<std::int32_t>& c = cells.points;
  if (cells.corners == 4) return outer_faces(c);
  std::vector<Face> faces;
  for (std::size_t k = 0; k < c.size(); k += 3) faces.push_back({c[k], c[k + 1], c[k + 2]});
  return faces;
}

}  // namespace rtsim
