#include "rigid/broad_phase.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "exec/parallel.h"
#include "lanes/lanes.h"

namespace rtsim::rigid {

namespace {

constexpr Real far = Real(1e30);

template <int D>
bool is_bounded(const Aabb<D>& b) {
  for (int k = 0; k < D; ++k)
    if (!(b.low[k] > -far && b.high[k] < far)) return false;
  return true;
}

// Every third bit (every second in the plane) of the result is one of x.
std::uint32_t spread(std::uint32_t x, int dim) {
  if (dim == 2) {
    x = (x | x << 8) & 0x00ff00ffu, x = (x | x << 4) & 0x0f0f0f0fu;
    return x = (x | x << 2) & 0x33333333u, (x | x << 1) & 0x55555555u;
  }
  x = (x | x << 16) & 0x030000ffu, x = (x | x << 8) & 0x0300f00fu;
  return x = (x | x << 4) & 0x030c30c3u, (x | x << 2) & 0x09249249u;
}

// Rows of one leaf search together.
constexpr Index leaves_per_task = 32;

}  // namespace

template <int D>
void BroadPhase<D>::Tree::make(const std::vector<Aabb<D>>& aabbs, const std::vector<Index>& items) {
  everywhere.clear(), row.clear(), levels.clear();
  Vec<D> low, high;
  for (int k = 0; k < D; ++k) low[k] = far, high[k] = -far;
  for (const Index i : items) {
    const Aabb<D>& b = aabbs[std::size_t(i)];
    if (!is_bounded(b)) {
      everywhere.push_back(i);
      continue;
    }
    row.push_back(i);
    for (int k = 0; k < D; ++k) {
      const Real c = Real(0.5) * (b.low[k] + b.high[k]);
      low[k] = std::min(low[k], c), high[k] = std::max(high[k], c);
    }
  }
  Real widest = 0;
  for (int k = 0; k < D; ++k) widest = std::max(widest, high[k] - low[k]);
  const Real cells = D == 2 ? 32767 : 1023;
  const Real scale = widest > 0 ? cells / widest : 0;
  std::vector<std::pair<std::uint32_t, Index>> keys;
  keys.reserve(row.size());
  for (const Index i : row) {
    const Aabb<D>& b = aabbs[std::size_t(i)];
    std::uint32_t key = 0;
    for (int k = 0; k < D; ++k) {
      const Real c = Real(0.5) * (b.low[k] + b.high[k]) - low[k];
      key |= spread(std::uint32_t(std::min(scale * c, cells)), D) << k;
    }
    keys.push_back({key, i});
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t k = 0; k < keys.size(); ++k) row[k] = keys[k].second;
  if (!row.empty()) grow(aabbs);
}

template <int D>
void BroadPhase<D>::Tree::grow(const std::vector<Aabb<D>>& aabbs) {
  Node none;
  for (int k = 0; k < D; ++k)
    for (Index l = 0; l < width; ++l) none.low[k][l] = far, none.high[k][l] = -far;
  levels.emplace_back((row.size() + width - 1) / width, none);
  for (std::size_t i = 0; i < row.size(); ++i)
    for (int k = 0; k < D; ++k) {
      const Aabb<D>& b = aabbs[std::size_t(row[i])];
      levels[0][i / width].low[k][i % width] = b.low[k];
      levels[0][i / width].high[k][i % width] = b.high[k];
    }
  while (levels.back().size() > 1) {
    const std::vector<Node>& below = levels.back();
    std::vector<Node> above((below.size() + width - 1) / width, none);
    for (std::size_t i = 0; i < below.size(); ++i)
      for (int k = 0; k < D; ++k) {
        Real low = far, high = -far;
        for (Index l = 0; l < width; ++l)
          low = std::min(low, below[i].low[k][l]), high = std::max(high, below[i].high[k][l]);
        above[i / width].low[k][i % width] = low, above[i / width].high[k][i % width] = high;
      }
    levels.push_back(std::move(above));
  }
}

// Bit l is set where the box meets child l.
template <int D>
unsigned BroadPhase<D>::meets(const Node& node, const Aabb<D>& box) {
  unsigned apart = 0;
  for (int k = 0; k < D; ++k)
    apart |= less(Lanes<Real>(box.high[k]), Lanes<Real>::load(node.low[k])) |
             less(Lanes<Real>::load(node.high[k]), Lanes<Real>(box.low[k]));
  return ~apart & 255u;
}

// Leaves from number `from` on whose boxes meet `box`.
template <int D>
template <class Visit>
void BroadPhase<D>::Tree::visit_leaves(const Aabb<D>& box, Index from, const Visit& visit) const {
  struct At {
    int level;
    Index node;
  };
  if (levels.empty()) return;
  At waiting[width * 12];
  int n = 0;
  waiting[n++] = {int(levels.size()) - 1, 0};
  while (n > 0) {
    const At at = waiting[--n];
    if (at.level == 0) {
      visit(at.node);
      continue;
    }
    const int shift = 3 * (at.level - 1);  // 8^(level - 1) leaves under a child
    unsigned mask = meets(levels[std::size_t(at.level)][std::size_t(at.node)], box);
    for (; mask; mask &= mask - 1) {
      const Index child = width * at.node + std::countr_zero(mask);
      if ((Offset(child + 1) << shift) > from) waiting[n++] = {at.level - 1, child};
    }
  }
}

// add(p, q) of items whose boxes overlap: one of a leaf of live ones, and one behind it or at rest.
template <int D>
template <class Add>
void BroadPhase<D>::search(Index leaf, const Add& add) const {
  const Node& own = live_.levels[0][std::size_t(leaf)];
  const Index rows = std::min(width, Index(live_.row.size()) - width * leaf);
  Aabb<D> around, box[width];
  for (int k = 0; k < D; ++k) {
    around.low[k] = *std::min_element(own.low[k], own.low[k] + width);
    around.high[k] = *std::max_element(own.high[k], own.high[k] + width);
    for (Index i = 0; i < width; ++i)
      box[i].low[k] = own.low[k][i], box[i].high[k] = own.high[k][i];
  }
  const auto compare = [&](const Tree& tree, Index other, bool itself) {
    const Node& o = tree.levels[0][std::size_t(other)];
    for (Index i = 0; i < rows; ++i) {
      unsigned mask = meets(o, box[i]);
      if (itself) mask &= ~((2u << i) - 1);
      for (; mask; mask &= mask - 1)
        add(live_.row[std::size_t(width * leaf + i)],
            tree.row[std::size_t(width * other + std::countr_zero(mask))]);
    }
  };
  live_.visit_leaves(around, leaf, [&](Index other) { compare(live_, other, other == leaf); });
  resting_.visit_leaves(around, 0, [&](Index other) { compare(resting_, other, false); });
}

// By counting the first's bodies, then each of them alone. Lists go as they are read.
template <int D>
std::vector<OverlapPair> BroadPhase<D>::sorted(const Exec& ex, const std::vector<Item>& items,
                                               Index moving,
                                               std::vector<std::vector<OverlapPair>> found) {
  if (moving == 0) return {};
  const auto body = [&](Index i) { return items[std::size_t(i)].body; };
  const Index bodies = body(moving - 1) + 1;
  std::vector<Index> first(std::size_t(bodies) + 1);
  for (const auto& list : found)
    for (const OverlapPair& p : list) ++first[std::size_t(body(p[0])) + 1];
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  std::vector<OverlapPair> pairs(std::size_t(first.back()));
  for (auto& list : found)
    for (const OverlapPair& p : std::exchange(list, {}))
      pairs[std::size_t(first[std::size_t(body(p[0]))]++)] = p;
  const auto sort_some = [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k)
      std::sort(pairs.begin() + (k > 0 ? first[std::size_t(k - 1)] : 0),
                pairs.begin() + first[std::size_t(k)],
                [&](const OverlapPair& p, const OverlapPair& q) {
                  if (p[0] != q[0] && body(p[1]) != body(q[1])) return body(p[1]) < body(q[1]);
                  return p[0] != q[0] ? p[0] < q[0] : p[1] < q[1];
                });
  };
  if (ex.backend() == Backend::cpu)
    parallel_chunks(ex, "rigid.pairs", bodies, 4096, sort_some);
  else
    sort_some(0, bodies);
  return pairs;
}

// What moves and is everywhere meets all bodies, and what rests those that move.
template <int D>
template <class Add>
void BroadPhase<D>::pair_everywhere(Index moving, const std::vector<Index>& live,
                                    const Add& add) const {
  for (const Index e : live_.everywhere)
    for (Index i = 0; i < moving; ++i)
      if (i != e) add(i, e);
  for (const Index e : resting_.everywhere)
    for (const Index i : live) add(i, e);
}

template <int D>
void BroadPhase<D>::rest(const std::vector<Aabb<D>>& aabbs, std::vector<Index> items) {
  resting_.make(aabbs, items);
}

template <int D>
std::vector<OverlapPair> BroadPhase<D>::find(const Exec& ex, const std::vector<Aabb<D>>& aabbs,
                                             const std::vector<Item>& items, Index moving,
                                             const std::vector<Index>& live) {
  live_.make(aabbs, live);
  const Index leaves = live_.leaves();
  const std::size_t tasks = std::size_t((leaves + leaves_per_task - 1) / leaves_per_task);
  std::vector<std::vector<OverlapPair>> found(tasks + 1);  // by tasks, and of what is everywhere
  const auto add_to = [&](std::vector<OverlapPair>& list) {
    return [&](Index p, Index q) {
      const Index a = std::min(p, q), b = std::max(p, q);
      if (a < moving && items[std::size_t(a)].body != items[std::size_t(b)].body)
        list.push_back({{a, b}});
    };
  };
  const auto search_some = [&](Index begin, Index end) {
    std::vector<OverlapPair>& list = found[std::size_t(begin / leaves_per_task)];
    const auto add = add_to(list);
    for (Index leaf = begin; leaf < end; ++leaf) search(leaf, add);
    list.shrink_to_fit();
  };
  if (ex.backend() == Backend::cpu)
    parallel_chunks(ex, "rigid.pairs", leaves, leaves_per_task, search_some);
  else
    for (Index t = 0; t < leaves; t += leaves_per_task)
      search_some(t, std::min(leaves, t + leaves_per_task));
  pair_everywhere(moving, live, add_to(found.back()));
  found.back().shrink_to_fit();
  live_ = {};
  return sorted(ex, items, moving, std::move(found));
}

template class BroadPhase<2>;
template class BroadPhase<3>;

}  // namespace rtsim::rigid
