#include "shapes/weld.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace rtsim {
namespace {

struct SamePosition {
  bool operator()(const Vec3d& a, const Vec3d& b) const {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};
struct HashPosition {
  std::size_t operator()(const Vec3d& v) const {
    std::uint64_t h = 0;
    for (int a = 0; a < 3; ++a) {
      std::uint64_t bits;
      std::memcpy(&bits, &v.c[a], sizeof bits);
      h = (h ^ bits) * 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    }
    return h;
  }
};

}  // namespace

TriangleMesh weld(const TriangleMesh& mesh) {
  std::vector<std::int32_t> became;
  return weld(mesh, became);
}

TriangleMesh weld(const TriangleMesh& mesh, std::vector<std::int32_t>& to) {
  TriangleMesh welded;
  std::unordered_map<Vec3d, std::int32_t, HashPosition, SamePosition> first;
  to.resize(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    Vec3d p = mesh.vertices[i];
    for (double& c : p.c) c += 0.0;  // -0 equals 0
    const auto [it, added] = first.try_emplace(p, std::int32_t(welded.vertices.size()));
    if (added) welded.vertices.push_back(p);
    to[i] = it->second;
  }
  for (auto t : mesh.triangles) {
    for (auto& v : t) v = to[v];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) welded.triangles.push_back(t);
  }
  return welded;
}

int drop_doubled(TriangleMesh& m) {
  using Triangle = std::array<std::int32_t, 3>;
  const auto key_of = [](Triangle t) {
    std::ranges::sort(t);
    return t;
  };
  const auto sense_of = [](const Triangle& t) {  // of the corners in order, 1 or -1
    return (t[0] < t[1]) == ((t[1] < t[2]) == (t[0] < t[2])) ? 1 : -1;
  };
  std::map<Triangle, int> senses;
  for (const Triangle& t : m.triangles) senses[key_of(t)] += sense_of(t);
  return int(std::erase_if(m.triangles, [&](const Triangle& t) {
    int& left = senses[key_of(t)];
    const bool stays = left * sense_of(t) > 0;
    if (stays) left = 0;
    return !stays;
  }));
}

}  // namespace rtsim
