#include "deformables/groups.h"

#include <algorithm>

namespace rtsim {

namespace {

constexpr std::size_t few = 16;

struct Bond {
  Index a, b, count;
};

// Both ways, each once, in order of a, then b; none from a to itself.
std::vector<Bond> gathered(std::vector<Bond> bonds) {
  std::sort(bonds.begin(), bonds.end(),
            [](const Bond& p, const Bond& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
  std::size_t kept = 0;
  for (const Bond& bond : bonds)
    if (kept > 0 && bonds[kept - 1].a == bond.a && bonds[kept - 1].b == bond.b)
      bonds[kept - 1].count += bond.count;
    else if (bond.a != bond.b)
      bonds[kept++] = bond;
  bonds.resize(kept);
  return bonds;
}

// Every one in order with the first of those still single that it has the most bonds to, or, where
// none is single any more, with the pair of the one that it has the most to.
std::vector<Index> pairs(std::size_t n, const std::vector<Bond>& bonds, Index& made) {
  std::vector<Index> of(n, -1);
  std::size_t e = 0;
  made = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Index mate = -1, most = 0, next = -1, most_of_all = 0;
    for (; e < bonds.size() && bonds[e].a == Index(i); ++e) {
      const Bond& bond = bonds[e];
      if (of[std::size_t(bond.b)] < 0 && bond.count > most) mate = bond.b, most = bond.count;
      if (bond.count > most_of_all) next = bond.b, most_of_all = bond.count;
    }
    if (of[i] >= 0) continue;
    if (mate < 0 && next >= 0) {
      of[i] = of[std::size_t(next)];
      continue;
    }
    of[i] = made;
    if (mate >= 0) of[std::size_t(mate)] = made;
    ++made;
  }
  return of;
}

// The group of each of n, by three rounds.
std::vector<Index> grouped(std::size_t n, std::vector<Bond>& bonds, std::size_t& groups) {
  std::vector<Index> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = Index(i);
  groups = n;
  for (int round = 0; round < 3; ++round) {
    Index made = 0;
    const std::vector<Index> of = pairs(groups, bonds, made);
    for (Index& g : all) g = of[std::size_t(g)];
    for (Bond& b : bonds) b.a = of[std::size_t(b.a)], b.b = of[std::size_t(b.b)];
    bonds = gathered(std::move(bonds));
    groups = std::size_t(made);
  }
  return all;
}

}  // namespace

Groups::Groups(const Exec& ex, std::size_t points, const std::vector<CellMesh::Edge>& edges)
    : points_(points),
      point_parent_(ex),
      parent_(ex),
      first_child_(ex),
      child_(ex),
      inverse_(ex),
      outside_(ex),
      group_outside_(ex),
      group_inertia_(ex),
      r_(ex),
      z_(ex) {
  std::vector<Bond> bonds;
  for (const CellMesh::Edge& e : edges)
    bonds.push_back({e[0], e[1], 1}), bonds.push_back({e[1], e[0], 1});
  bonds = gathered(std::move(bonds));
  std::vector<Index> first_child{0}, child;
  std::size_t n = points;
  Index below = 0;  // number of the first one of the level before
  while (n > few && levels() < block_cg::most_levels) {
    std::size_t made = 0;
    const std::vector<Index> of = grouped(n, bonds, made);
    if (2 * made > n) break;  // too many pieces
    const Index base = start_.back();
    std::vector<std::vector<Index>> children(made);
    for (std::size_t i = 0; i < n; ++i) {
      children[std::size_t(of[i])].push_back(below + Index(i));
      (levels() == 0 ? point_parent_on_host_ : parent_on_host_).push_back(base + of[i]);
    }
    for (const auto& c : children) {
      child.insert(child.end(), c.begin(), c.end());
      first_child.push_back(Index(child.size()));
    }
    start_.push_back(base + Index(made));
    below = base, n = made;
  }
  if (levels() == 0) return;
  parent_on_host_.resize(groups(), -1);
  const std::size_t wide = lane_count, rows = (points + wide - 1) / wide * wide;
  std::vector<Index> point_parent = point_parent_on_host_;
  point_parent.resize(rows, point_parent.back());
  point_parent_.upload(point_parent), parent_.upload(parent_on_host_);
  first_child_.upload(first_child), child_.upload(child);
  inverse_.resize(groups()), r_.resize(groups()), z_.resize(groups());
  outside_.resize(points * std::size_t(levels()));
  group_outside_.resize(groups() * std::size_t(levels())), group_inertia_.resize(groups());
}

std::uint8_t Groups::apart(std::size_t i, std::size_t j) const {
  if (i >= points_ || levels() == 0) return 0;
  Index a = point_parent_on_host_[i], b = point_parent_on_host_[j];
  std::uint8_t l = 0;
  for (; a != b && l < levels(); ++l)
    if (l + 1 < levels()) a = parent_on_host_[std::size_t(a)], b = parent_on_host_[std::size_t(b)];
  return l;
}

std::vector<Index> Groups::of_points(int level) const {
  std::vector<Index> all = point_parent_on_host_;
  for (Index& g : all) {
    for (int l = 0; l < level; ++l) g = parent_on_host_[std::size_t(g)];
    g -= start_[std::size_t(level)];
  }
  return all;
}

block_cg::Levels Groups::view(Span<const Row4> filter) {
  block_cg::Levels k{.size = levels(),
                     .point_parent = point_parent_.span(),
                     .parent = parent_.span(),
                     .first_child = first_child_.span(),
                     .child = child_.span(),
                     .filter = filter,
                     .inverse = inverse_.span(),
                     .r = r_.span(),
                     .z = z_.span()};
  std::copy(start_.begin(), start_.end(), k.start);
  return k;
}

void Groups::invert(const Exec& ex, Span<const Row4> filter, Span<const Real> inertia) {
  block_cg::invert(ex, view(filter), inertia, outside_.span(), group_outside_.span(),
                   group_inertia_.span());
}

}  // namespace rtsim
