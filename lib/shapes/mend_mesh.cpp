#include "shapes/mend_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rtsim {
namespace {

using EdgeEnds = std::pair<std::int32_t, std::int32_t>;

EdgeEnds undirected(const EdgeEnds& e) {
  return {std::min(e.first, e.second), std::max(e.first, e.second)};
}

EdgeEnds edge_of(const std::array<std::int32_t, 3>& t, std::size_t k) {
  return {t[k], t[(k + 1) % 3]};
}

// Triangles by the edges that they share. Empty where more than two meet at one.
std::map<EdgeEnds, std::vector<std::size_t>> neighbours(const TriangleMesh& mesh) {
  std::map<EdgeEnds, std::vector<std::size_t>> at;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      auto& here = at[undirected(edge_of(mesh.triangles[t], k))];
      here.push_back(t);
      if (here.size() > 2) return {};
    }
  return at;
}

bool has(const std::array<std::int32_t, 3>& t, const EdgeEnds& e) {
  return edge_of(t, 0) == e || edge_of(t, 1) == e || edge_of(t, 2) == e;
}

// From one triangle of each part outwards: neighbours go along a shared edge in opposite senses.
// Counts those that were turned; -1 where that cannot be, as on a Moebius strip.
int turn_alike(TriangleMesh& mesh, const std::map<EdgeEnds, std::vector<std::size_t>>& at) {
  int turned = 0;
  std::vector<bool> seen(mesh.triangles.size(), false);
  for (std::size_t first = 0; first < seen.size(); ++first) {
    std::vector<std::size_t> open;
    if (!seen[first]) open.push_back(first), seen[first] = true;
    while (!open.empty()) {
      const std::size_t t = open.back();
      open.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const EdgeEnds e = edge_of(mesh.triangles[t], k);
        for (const std::size_t n : at.at(undirected(e))) {
          if (n == t) continue;
          const bool against = has(mesh.triangles[n], e);
          if (against && seen[n]) return -1;
          if (against) std::swap(mesh.triangles[n][1], mesh.triangles[n][2]), ++turned;
          if (!seen[n]) open.push_back(n), seen[n] = true;
        }
      }
    }
  }
  return turned;
}

// The rims of holes, each a ring of vertices in the sense of the triangles that close it.
std::vector<std::vector<std::int32_t>> rims(
    const TriangleMesh& mesh, const std::map<EdgeEnds, std::vector<std::size_t>>& at) {
  std::multimap<std::int32_t, std::int32_t> next;
  for (const auto& [edge, triangles] : at) {
    if (triangles.size() != 1) continue;
    const bool along = has(mesh.triangles[triangles[0]], edge);
    next.emplace(along ? edge.second : edge.first, along ? edge.first : edge.second);
  }
  std::vector<std::vector<std::int32_t>> rings;
  while (!next.empty()) {
    auto step = next.begin();
    const std::int32_t start = step->first;
    std::vector<std::int32_t> ring;
    do {
      ring.push_back(step->first);
      const std::int32_t to = step->second;
      next.erase(step);
      step = next.find(to);
    } while (step != next.end() && step->first != start);
    rings.push_back(ring);
  }
  return rings;
}

void close(TriangleMesh& mesh, const std::vector<std::int32_t>& ring) {
  Vec3d middle;
  for (const std::int32_t v : ring)
    middle = middle + (1.0 / double(ring.size())) * mesh.vertices[std::size_t(v)];
  const auto centre = std::int32_t(mesh.vertices.size());
  mesh.vertices.push_back(middle);
  for (std::size_t k = 0; k < ring.size(); ++k)
    mesh.triangles.push_back({ring[k], ring[(k + 1) % ring.size()], centre});
}

// Of what encloses nothing the volume is far below that of a ball of its area.
bool encloses(const TriangleMesh& mesh) {
  double volume = 0, area = 0;
  const Vec3d& o = mesh.vertices[std::size_t(mesh.triangles[0][0])];
  for (const auto& t : mesh.triangles) {
    const Vec3d a = mesh.vertices[std::size_t(t[0])] - o, b = mesh.vertices[std::size_t(t[1])] - o,
                c = mesh.vertices[std::size_t(t[2])] - o;
    volume += dot(a, cross(b, c)) / 6, area += norm(cross(b - a, c - a)) / 2;
  }
  return std::abs(volume) > 1e-4 * std::pow(area, 1.5);
}

}  // namespace

MendedMesh mend_mesh(TriangleMesh mesh) {
  MendedMesh m;
  const auto refuse = [&](const char* why) {
    m.refused = why;
    return m;
  };
  const auto at = neighbours(mesh);
  if (at.empty()) return refuse("three triangles meet at one of its edges");
  m.turned = turn_alike(mesh, at);
  if (m.turned < 0) return refuse("its triangles cannot all face outwards");
  for (const auto& ring : rims(mesh, at)) {
    if (ring.size() < 3) return refuse("a hole has no rim");
    close(mesh, ring);
    ++m.holes, m.edges += int(ring.size());
  }
  if (!encloses(mesh)) return refuse("it is a sheet");
  m.mesh = std::move(mesh);
  return m;
}

}  // namespace rtsim
