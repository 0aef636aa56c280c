#include "deformables/tethers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "base/joined_sets.h"
#include "meshes/adjacency.h"
#include "pbd/tethers.h"

namespace rtsim {

namespace {

// Held points that edges join have the lowest of their numbers as their group; free points -1.
std::vector<Index> groups_of(const std::vector<CellMesh::Edge>& edges,
                             const std::vector<bool>& held) {
  JoinedSets joined(held.size());
  for (const auto& e : edges)
    if (held[std::size_t(e[0])] && held[std::size_t(e[1])]) joined.join(e[0], e[1]);
  std::vector<Index> group(held.size(), -1);
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) group[i] = joined.root(Index(i));
  return group;
}

struct Reached {
  Index group, from;
  double length;
};

// Shortest ways over the mesh from all held points at once, in order of their lengths (Dijkstra):
// along edges, and straight across triangles of which two corners are reached from one held point,
// as if that lay in the plane of the triangle (Novotni & Klein, "Computing Geodesic Distances on
// Triangular Meshes", WSCG 2002). Flat cloth has its true distances so; along edges alone they come
// out up to two fifths too long.
class Ways {
 public:
  Ways(const std::vector<Vec3d>& rest, const TetherMesh& mesh, const std::vector<bool>& held,
       int most)
      : rest_(rest),
        mesh_(mesh),
        held_(held),
        most_(most),
        edges_at_(incidence_of(held.size(), mesh.edges)),
        triangles_at_(incidence_of(held.size(), mesh.triangles)),
        reached_(held.size()) {}

  std::vector<std::vector<Reached>> find(const std::vector<Index>& group) {
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i]) next_.emplace(0, Index(i), group[i], Index(i));
    while (!next_.empty()) {
      const auto [length, point, of, from] = next_.top();
      next_.pop();
      auto& mine = reached_[std::size_t(point)];
      if (Index(mine.size()) == most_ || (held_[std::size_t(point)] && from != point)) continue;
      if (std::ranges::any_of(mine, [own = of](const Reached& r) { return r.group == own; }))
        continue;
      mine.push_back({of, from, length});
      along_edges(point, mine.back());
      across_triangles(point, mine.back());
    }
    return std::move(reached_);
  }

 private:
  using Visit = std::tuple<double, Index, Index, Index>;  // length, point, group, held point

  const Vec3d& at(Index i) const { return rest_[std::size_t(i)]; }

  void along_edges(Index point, Reached r) {
    for (Index k = edges_at_.first[std::size_t(point)]; k < edges_at_.first[std::size_t(point) + 1];
         ++k) {
      const Index slot = edges_at_.slots[std::size_t(k)],
                  other = mesh_.edges[std::size_t(slot / 2)][std::size_t(1 - slot % 2)];
      next_.emplace(r.length + norm(at(other) - at(point)), other, r.group, r.from);
    }
  }
  void across_triangles(Index point, Reached r) {
    for (Index k = triangles_at_.first[std::size_t(point)];
         k < triangles_at_.first[std::size_t(point) + 1]; ++k) {
      const Index slot = triangles_at_.slots[std::size_t(k)];
      const auto& t = mesh_.triangles[std::size_t(slot / 3)];
      for (const std::size_t turn : {1, 2}) {
        const Index b = t[(std::size_t(slot % 3) + turn) % 3],
                    c = t[(std::size_t(slot % 3) + 3 - turn) % 3];
        for (const Reached& o : reached_[std::size_t(b)])
          if (o.from == r.from) straight(point, b, c, r, o.length);
      }
    }
  }
  // To c past the edge a b, of points da and db away.
  void straight(Index a, Index b, Index c, Reached r, double db) {
    const Vec3d e = at(b) - at(a), d = at(c) - at(a);
    const double l = norm(e), x = dot(e, d) / l, y = norm(cross(e, d)) / l;
    const double u = (r.length * r.length - db * db + l * l) / (2 * l),
                 v2 = r.length * r.length - u * u;
    if (!(l > 0) || v2 < 0) return;
    const double v = std::sqrt(v2), passes = u + (x - u) * v / (v + y);
    if (passes < 0 || passes > l) return;
    next_.emplace(std::hypot(x - u, y + v), c, r.group, r.from);
  }

  const std::vector<Vec3d>& rest_;
  const TetherMesh& mesh_;
  const std::vector<bool>& held_;
  int most_;
  Incidence edges_at_, triangles_at_;
  std::vector<std::vector<Reached>> reached_;
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> next_;
};

}  // namespace

TetherList tethers_of(const std::vector<Vec3d>& rest, const TetherMesh& mesh,
                      const std::vector<bool>& held, int most) {
  const auto reached = Ways(rest, mesh, held, most).find(groups_of(mesh.edges, held));
  TetherList list;
  list.first.push_back(0);
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (!held[i])
      for (const Reached& r : reached[i])
        list.held.push_back(r.from), list.length.push_back(r.length);
    list.first.push_back(Index(list.held.size()));
  }
  return list;
}

TetherSet::TetherSet(World& world, const std::string& mesh, int most,
                     const std::vector<Vec3d>& rest)
    : mesh_(mesh),
      most_(most),
      cells_{corners_of<2>(world, edge_table(mesh)), corners_of<3>(world, triangle_table(mesh))},
      rest_(rest),
      rows_(world.exec),
      length_(world.exec) {}

void TetherSet::find(World& world) {
  std::vector<Real> w = world.table(mesh_).download<Real>("inverse_mass");
  if (w == inverse_mass_) return;
  inverse_mass_ = std::move(w);
  std::vector<bool> held;
  for (const Real each : inverse_mass_) held.push_back(!(each > 0));
  const TetherList list = tethers_of(rest_, cells_, held, most_);
  const std::size_t n = held.size();
  slots_ = 0;
  for (std::size_t i = 0; i < n; ++i) slots_ = std::max(slots_, list.first[i + 1] - list.first[i]);
  std::vector<Index> rows;
  std::vector<Real> length;
  for (Index k = 0; k < slots_; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const Index at = list.first[i] + k;
      const bool there = at < list.first[i + 1];
      rows.push_back(there ? list.held[std::size_t(at)] : Index(i));
      length.push_back(there ? Real(list.length[std::size_t(at)])
                             : std::numeric_limits<Real>::infinity());
    }
  rows_.upload(rows), length_.upload(length);
}

void TetherSet::project(World& world, Span<Row4> place) const {
  if (slots_ > 0) pbd::pull_back(world.exec, {rows_.span(), length_.span(), slots_}, place);
}

}  // namespace rtsim
