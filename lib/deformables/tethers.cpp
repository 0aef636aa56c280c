#include "deformables/tethers.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "meshes/adjacency.h"
#include "pbd/motion.h"

namespace rtsim {

namespace {

// Held points that edges join have the lowest of their numbers as their group; free points -1.
std::vector<Index> groups_of(const std::vector<CellMesh::Edge>& edges,
                             const std::vector<bool>& held) {
  std::vector<Index> group(held.size(), -1);
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) group[i] = Index(i);
  const auto root = [&](Index i) {
    while (group[std::size_t(i)] != i)
      i = group[std::size_t(i)] = group[std::size_t(group[std::size_t(i)])];
    return i;
  };
  for (const auto& e : edges) {
    if (!held[std::size_t(e[0])] || !held[std::size_t(e[1])]) continue;
    const Index a = root(e[0]), b = root(e[1]);
    group[std::size_t(std::max(a, b))] = std::min(a, b);
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) group[i] = root(Index(i));
  return group;
}

struct Reached {
  Index group, from;
  double length;
};

}  // namespace

// Dijkstra's shortest paths from all held points at once; each point takes in `most` groups, in
// order of their distance.
TetherList tethers_of(const std::vector<CellMesh::Edge>& edges,
                      const std::vector<double>& rest_length, const std::vector<bool>& held,
                      int most) {
  const Incidence at = incidence_of(held.size(), edges);
  const std::vector<Index> group = groups_of(edges, held);
  using Visit = std::tuple<double, Index, Index, Index>;  // length, point, group, held point
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> next;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) next.emplace(0, Index(i), group[i], Index(i));
  std::vector<std::vector<Reached>> reached(held.size());
  while (!next.empty()) {
    const auto [length, point, of, from] = next.top();
    next.pop();
    auto& mine = reached[std::size_t(point)];
    if (Index(mine.size()) == most || (held[std::size_t(point)] && from != point)) continue;
    if (std::ranges::any_of(mine, [own = of](const Reached& r) { return r.group == own; }))
      continue;
    mine.push_back({of, from, length});
    for (Index k = at.first[std::size_t(point)]; k < at.first[std::size_t(point) + 1]; ++k) {
      const Index slot = at.slots[std::size_t(k)], edge = slot / 2;
      next.emplace(length + rest_length[std::size_t(edge)],
                   edges[std::size_t(edge)][std::size_t(1 - slot % 2)], of, from);
    }
  }
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
      edges_(corners_of<2>(world, edge_table(mesh))),
      first_(world.exec),
      rows_(world.exec),
      length_(world.exec) {
  for (const auto& e : edges_)
    rest_.push_back(norm(rest[std::size_t(e[1])] - rest[std::size_t(e[0])]));
}

void TetherSet::find(World& world) {
  std::vector<bool> held;
  for (const Real w : world.table(mesh_).download<Real>("inverse_mass")) held.push_back(!(w > 0));
  if (held == held_) return;
  held_ = std::move(held);
  const TetherList list = tethers_of(edges_, rest_, held_, most_);
  first_.upload(list.first), rows_.upload(list.held);
  length_.upload(std::vector<Real>(list.length.begin(), list.length.end()));
}

void TetherSet::project(World& world, Span<Row4> place) const {
  if (rows_.size() == 0) return;
  pbd::pull_back(world.exec, {first_.span(), rows_.span(), length_.span()}, place);
}

}  // namespace rtsim
