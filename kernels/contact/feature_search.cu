#include "contact/feature_boxes.h"
#include "contact/features.h"
#include "exec/parallel.h"

// Which features of a mesh are near each other, or go through each other: boxes of their ways.
namespace rtsim::contact {

namespace {

template <int N>
struct FitNode {
  ItemTree<N> tree;
  Ways ways;
  Real margin;
  const Index* nodes;

  RTSIM_HD void operator()(Index i) const {
    const Index at = nodes[i];
    BoxNode& n = tree.nodes[at];
    BoxNode b = nothing();
    if (n.count > 0) {
      for (Index k = n.first; k < n.first + n.count; ++k) {
        const BoxNode item = box_of(tree.items[k], ways, margin);
        include(b, item.low), include(b, item.high);
      }
    } else {
      const BoxNode &left = tree.nodes[at + 1], &right = tree.nodes[n.first];
      include(b, left.low), include(b, left.high);
      include(b, right.low), include(b, right.high);
    }
    n.low = b.low, n.high = b.high;
  }
};

// visit(pair) for those of one query.
template <class Visit>
RTSIM_HD void for_pairs(const Search& s, Index query, const Visit& visit) {
  const Index points = s.point_queries();
  if (query < points) {
    const std::int32_t p = s.points[query];
    if (s.tangled.point(p)) return;
    const BoxNode box = box_of(VecT<std::int32_t, 1>{{p}}, s.ways, s.margin);
    for_items(s.triangles, box, [&](Index k) {
      const Corners3& t = s.triangles.items[k];
      const bool tangled = s.tangled.point(t[0]) || s.tangled.point(t[1]) || s.tangled.point(t[2]);
      if (!has(t, p) && !tangled && s.parts.meet(p, t[0]) &&
          overlap(box, box_of(t, s.ways, s.margin)))
        visit(Pair{{p, t[0], t[1], t[2]}, Features::point_triangle});
    });
    return;
  }
  const Index edge = query - points, sphere = edge - s.edges.items.size;
  if (sphere < 0) {
    const Corners2& e = s.edges.items[edge];
    const auto tangled = [&](Index k, const Corners2& c) {
      return s.tangled.edge(k) || s.tangled.point(c[0]) || s.tangled.point(c[1]);
    };
    if (tangled(edge, e)) return;
    const BoxNode box = box_of(e, s.ways, s.margin);
    for_items(s.edges, box, [&](Index k) {
      const Corners2& f = s.edges.items[k];
      if (k > edge && !has(f, e[0]) && !has(f, e[1]) && !tangled(k, f) &&
          s.parts.meet(e[0], f[0]) && overlap(box, box_of(f, s.ways, s.margin)))
        visit(Pair{{e[0], e[1], f[0], f[1]}, Features::edges});
    });
    return;
  }
  const auto& m = s.proxy_spheres.items[sphere];
  const BoxNode box = box_of(m, s.ways, s.margin);
  for_items(s.proxy_spheres, box, [&](Index k) {
    const auto& n = s.proxy_spheres.items[k];
    if (k > sphere && s.parts.meet(m[0], n[0]) && overlap(box, box_of(n, s.ways, s.margin)))
      visit(Pair{{m[0], n[0], n[0], n[0]}, Features::points});
  });
}

struct CountPairs {
  Search search;
  Span<Index> count;
  RTSIM_HD void operator()(Index query) const {
    Index n = 0;
    for_pairs(search, query, [&](const Pair&) { ++n; });
    count[query] = n;
  }
};

struct WritePairs {
  Search search;
  Span<const Index> first;
  Span<Pair> pairs;
  RTSIM_HD void operator()(Index query) const {
    Index at = first[query];
    for_pairs(search, query, [&](const Pair& p) { pairs[at++] = p; });
  }
};

struct DistanceOf {
  Span<const Vec<3>> from, to;
  RTSIM_HD Real operator()(Index i) const { return norm(to[i] - from[i]); }
};

struct Pierced {
  ItemTree<3> triangles;
  ItemTree<2> edges;
  Parts parts;
  Span<const Vec<3>> position;
  RTSIM_HD Index operator()(Index i) const {
    const Corners2& e = edges.items[i];
    const BoxNode box = box_of(e, {position, position}, 0);
    Index n = 0;
    for_items(triangles, box, [&](Index k) {
      const Corners3& t = triangles.items[k];
      if (has(t, e[0]) || has(t, e[1]) || !parts.meet(e[0], t[0])) return;
      if (!overlap(box, box_of(t, {position, position}, 0))) return;
      const Vec3d x[5] = {widen(position[e[0]]), widen(position[e[1]]), widen(position[t[0]]),
                          widen(position[t[1]]), widen(position[t[2]])};
      n += pierces(x) ? 1 : 0;
    });
    return n;
  }
};

// How many edges are left from there on.
struct FirstPierced {
  Pierced pierced;
  RTSIM_HD Index operator()(Index i) const {
    return pierced(i) > 0 ? pierced.edges.items.size - i : 0;
  }
};

}  // namespace

template <int N>
void fit(const Exec& ex, const ItemTree<N>& tree, const Ways& ways, Real margin,
         Span<const Index> of_level, const std::vector<Index>& first) {
  for (std::size_t k = 0; k + 1 < first.size(); ++k)
    parallel_for(ex, "contact.fit", first[k + 1] - first[k],
                 FitNode<N>{tree, ways, margin, of_level.data + first[k]});
}
template void fit<1>(const Exec&, const ItemTree<1>&, const Ways&, Real, Span<const Index>,
                     const std::vector<Index>&);
template void fit<2>(const Exec&, const ItemTree<2>&, const Ways&, Real, Span<const Index>,
                     const std::vector<Index>&);
template void fit<3>(const Exec&, const ItemTree<3>&, const Ways&, Real, Span<const Index>,
                     const std::vector<Index>&);

void count_pairs(const Exec& ex, const Search& s, Span<Index> count) {
  parallel_for(ex, "contact.count_pairs", s.queries(), CountPairs{s, count});
}

void write_pairs(const Exec& ex, const Search& s, Span<const Index> first, Span<Pair> pairs) {
  parallel_for(ex, "contact.write_pairs", s.queries(), WritePairs{s, first, pairs});
}

Real farthest(const Exec& ex, Span<const Vec<3>> from, Span<const Vec<3>> to) {
  return reduce(ex, "contact.farthest", to.size, Real(0), DistanceOf{from, to}, Max{});
}

Index count_intersections(const Exec& ex, const ItemTree<3>& triangles, const ItemTree<2>& edges,
                          const Parts& parts, Span<const Vec<3>> position) {
  return reduce(ex, "contact.intersections", edges.items.size, Index(0),
                Pierced{triangles, edges, parts, position}, Plus{});
}

Index first_intersection(const Exec& ex, const ItemTree<3>& triangles, const ItemTree<2>& edges,
                         const Parts& parts, Span<const Vec<3>> position) {
  const Index left = reduce(ex, "contact.first", edges.items.size, Index(0),
                            FirstPierced{{triangles, edges, parts, position}}, Max{});
  return left > 0 ? edges.items.size - left : -1;
}

}  // namespace rtsim::contact
