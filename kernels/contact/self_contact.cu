#include "contact/self_contact.h"

#include "contact/features.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

constexpr Real far = Real(1e30);

RTSIM_HD void include(BoxNode& b, const Vec<3>& x) {
  for (int a = 0; a < 3; ++a) {
    if (x[a] < b.low[a]) b.low[a] = x[a];
    if (x[a] > b.high[a]) b.high[a] = x[a];
  }
}
RTSIM_HD BoxNode nothing() { return {{{far, far, far}}, {{-far, -far, -far}}, 0, 0}; }
RTSIM_HD void widen_by(BoxNode& b, Real margin) {
  for (int a = 0; a < 3; ++a) b.low[a] -= margin, b.high[a] += margin;
}
RTSIM_HD bool overlap(const BoxNode& a, const BoxNode& b) {
  for (int k = 0; k < 3; ++k)
    if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return false;
  return true;
}

template <int N>
RTSIM_HD BoxNode box_of(const VecT<std::int32_t, N>& corners, const Ways& ways, Real margin) {
  BoxNode b = nothing();
  for (int k = 0; k < N; ++k) include(b, ways.from[corners[k]]), include(b, ways.to[corners[k]]);
  widen_by(b, margin);
  return b;
}

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

// visit(item) for the items of leaves whose boxes meet one.
template <int N, class Visit>
RTSIM_HD void for_items(const ItemTree<N>& tree, const BoxNode& box, const Visit& visit) {
  Index stack[tree_depth];
  int waiting = 1;
  stack[0] = 0;
  while (waiting > 0) {
    const Index at = stack[--waiting];
    const BoxNode& n = tree.nodes[at];
    if (!overlap(n, box)) continue;
    if (n.count > 0) {
      for (Index k = n.first; k < n.first + n.count; ++k) visit(k);
    } else {
      stack[waiting++] = n.first;
      stack[waiting++] = at + 1;
    }
  }
}

template <int N>
RTSIM_HD bool has(const VecT<std::int32_t, N>& corners, std::int32_t p) {
  for (int k = 0; k < N; ++k)
    if (corners[k] == p) return true;
  return false;
}

// visit(pair) for those of one query.
template <class Visit>
RTSIM_HD void for_pairs(const Search& s, Index query, const Visit& visit) {
  const Index points = s.triangles.nodes.size > 0 ? s.points.size : 0;
  if (query < points) {
    const std::int32_t p = s.points[query];
    const BoxNode box = box_of(VecT<std::int32_t, 1>{{p}}, s.ways, s.margin);
    for_items(s.triangles, box, [&](Index k) {
      const Corners3& t = s.triangles.items[k];
      if (!has(t, p) && overlap(box, box_of(t, s.ways, s.margin)))
        visit(Pair{{p, t[0], t[1], t[2]}, 0});
    });
    return;
  }
  const Corners2& e = s.edges.items[query - points];
  const BoxNode box = box_of(e, s.ways, s.margin);
  for_items(s.edges, box, [&](Index k) {
    const Corners2& f = s.edges.items[k];
    if (k > query - points && !has(f, e[0]) && !has(f, e[1]) &&
        overlap(box, box_of(f, s.ways, s.margin)))
      visit(Pair{{e[0], e[1], f[0], f[1]}, 1});
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

struct SlotKey {
  Span<const Pair> pairs;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index i) const {
    for (int k = 0; k < 4; ++k) keys[4 * i + k] = std::uint32_t(pairs[i].p[k]);
  }
};

RTSIM_HD void places(const Pair& p, Span<const Vec<3>> x, Vec3d* out) {
  for (int k = 0; k < 4; ++k) out[k] = widen(x[p.p[k]]);
}

struct Face {
  SelfRules rules;
  Span<const Pair> pairs;
  Span<const Vec<3>> rest, from;
  Span<Facing> facing;

  RTSIM_HD void operator()(Index i) const {
    const Pair& p = pairs[i];
    Vec3d x[4];
    places(p, rest, x);
    const Real at_rest = Real(0.8 * gap_of(p.edges, x).distance());
    places(p, from, x);
    const Gap gap = gap_of(p.edges, x);
    const double d = gap.distance();
    Facing f;
    f.distance = Real(d);
    f.normal = d > 0 ? narrow<3>(1 / d * gap.vector) : Vec<3>{};
    for (int k = 0; k < 4; ++k) f.weight[k] = Real(gap.weight[k]);
    const Real full = rules.thickness < at_rest ? rules.thickness : at_rest;
    const Real reachable = f.distance + rules.recovery;
    f.keep = full < reachable ? full : reachable;
    facing[i] = f;
  }
};

struct PushPair {
  SelfRules rules;
  Span<const Pair> pairs;
  Span<const Facing> facing;
  Span<const Real> w;
  Span<const Vec<3>> from, x;
  Span<Vec<4>> moves;

  RTSIM_HD void operator()(Index i) const {
    const Pair& p = pairs[i];
    const Facing& f = facing[i];
    Vec<3> gap, slid;
    Real mobility = 0;
    for (int k = 0; k < 4; ++k) {
      const Vec<3>& at = x[p.p[k]];
      gap = gap + f.weight[k] * at;
      slid = slid + f.weight[k] * (at - from[p.p[k]]);
      mobility += w[p.p[k]] * f.weight[k] * f.weight[k];
    }
    const Real missing = f.keep - dot(f.normal, gap);
    const bool acts = missing > 0 && mobility > 0;
    Vec<3> push;
    if (acts) {
      slid = slid - dot(f.normal, slid) * f.normal;
      const Real length = norm(slid), most = rules.friction * missing;
      const Real held = length > 0 ? (most < length ? most / length : Real(1)) : 0;
      push = Real(1) / mobility * (missing * f.normal - held * slid);
    }
    for (int k = 0; k < 4; ++k) {
      const Vec<3> d = w[p.p[k]] * f.weight[k] * push;
      moves[4 * i + k] = {{d[0], d[1], d[2], acts && f.weight[k] != 0 ? Real(1) : Real(0)}};
    }
  }
};

struct CountPoint {
  Slots slots;
  Span<const Vec<4>> moves;
  Span<Real> count;
  RTSIM_HD void operator()(Index i) const {
    Real n = 0;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) n += moves[slots.order[s]][3];
    count[i] = n;
  }
};

// A pair moves all its points by the same part, which keeps momentum.
struct MovePoint {
  Slots slots;
  Span<const Pair> pairs;
  Span<const Vec<4>> moves;
  Span<const Real> count;
  Real inv_h;
  Span<Vec<3>> x, v;

  RTSIM_HD void operator()(Index i) const {
    if (!(count[i] > 0)) return;
    Vec<3> d;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) {
      const Vec<4>& m = moves[slots.order[s]];
      if (!(m[3] > 0)) continue;
      const Pair& p = pairs[slots.order[s] / 4];
      Real most = count[i];
      for (int k = 0; k < 4; ++k) most = count[p.p[k]] > most ? count[p.p[k]] : most;
      d = d + Real(1) / most * Vec<3>{{m[0], m[1], m[2]}};
    }
    x[i] = x[i] + d;
    v[i] = v[i] + inv_h * d;
  }
};

struct Meets {
  double separation;
  Span<const Pair> pairs;
  Span<const Facing> facing;
  Ways ways;
  Span<const std::uint32_t> marked;
  Span<std::uint32_t> meets;

  RTSIM_HD Index operator()(Index i) const {
    meets[i] = 0;
    const Pair& p = pairs[i];
    bool all = true;
    for (int k = 0; k < 4; ++k) all = all && marked[p.p[k]] != 0;
    if (all) return 0;
    Vec3d x[4], way[4];
    places(p, ways.from, x), places(p, ways.to, way);
    for (int k = 0; k < 4; ++k) way[k] = way[k] - x[k];
    const double distance = facing[i].distance, half = 0.5 * distance;
    const double nearest = separation < half ? separation : half;
    meets[i] = meet(p.edges, x, way, distance - nearest, nearest) ? 1 : 0;
    return Index(meets[i]);
  }
};

struct MarkPoint {
  Slots slots;
  Span<const std::uint32_t> meets;
  Span<std::uint32_t> marked;
  RTSIM_HD void operator()(Index i) const {
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s)
      if (meets[slots.order[s] / 4]) marked[i] = 1;
  }
};

struct Mark {
  Span<std::uint32_t> marked;
  RTSIM_HD void operator()(Index i) const { marked[i] = 1; }
};

struct Shorten {
  Slots slots;
  Span<const Facing> facing;
  Span<const std::uint32_t> marked;
  Span<const Real> w;
  Span<const Vec<3>> from;
  Real inv_h;
  Span<Vec<3>> x, v;

  RTSIM_HD void operator()(Index i) const {
    if (!marked[i] || !(w[i] > 0)) return;
    Real least = far;
    for (Index s = slots.first[i]; s < slots.first[i + 1]; ++s) {
      const Real d = facing[slots.order[s] / 4].distance;
      if (d < least) least = d;
    }
    const Vec<3> way = x[i] - from[i];
    const Real length = norm(way), most = Real(0.45) * least;
    if (length <= most) return;
    const Vec<3> d = (most / length - 1) * way;
    x[i] = from[i] + most / length * way;
    v[i] = v[i] + inv_h * d;
  }
};

struct DistanceOf {
  Span<const Vec<3>> from, to;
  RTSIM_HD Real operator()(Index i) const { return norm(to[i] - from[i]); }
};

struct Pierced {
  ItemTree<3> triangles;
  ItemTree<2> edges;
  Span<const Vec<3>> position;
  RTSIM_HD Index operator()(Index i) const {
    const Corners2& e = edges.items[i];
    const BoxNode box = box_of(e, {position, position}, 0);
    Index n = 0;
    for_items(triangles, box, [&](Index k) {
      const Corners3& t = triangles.items[k];
      if (has(t, e[0]) || has(t, e[1])) return;
      if (!overlap(box, box_of(t, {position, position}, 0))) return;
      const Vec3d x[5] = {widen(position[e[0]]), widen(position[e[1]]), widen(position[t[0]]),
                          widen(position[t[1]]), widen(position[t[2]])};
      n += pierces(x) ? 1 : 0;
    });
    return n;
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

void slot_keys(const Exec& ex, Span<const Pair> pairs, Span<std::uint32_t> keys) {
  parallel_for(ex, "contact.slots", pairs.size, SlotKey{pairs, keys});
}

void face(const Exec& ex, const SelfRules& rules, Span<const Pair> pairs, Span<const Vec<3>> rest,
          Span<const Vec<3>> from, Span<Facing> facing) {
  parallel_for(ex, "contact.face", pairs.size, Face{rules, pairs, rest, from, facing});
}

void repel(const Exec& ex, const SelfRules& rules, Span<const Pair> pairs,
           Span<const Facing> facing, const Slots& slots, Span<const Real> w,
           Span<const Vec<3>> from, Span<Vec<4>> moves, Span<Real> count, Real h, Span<Vec<3>> x,
           Span<Vec<3>> v) {
  parallel_for(ex, "contact.push", pairs.size, PushPair{rules, pairs, facing, w, from, x, moves});
  parallel_for(ex, "contact.count", x.size, CountPoint{slots, moves, count});
  parallel_for(ex, "contact.move", x.size,
               MovePoint{slots, pairs, moves, count, Real(1) / h, x, v});
}

Index mark_meeting(const Exec& ex, Real separation, Span<const Pair> pairs, const Slots& slots,
                   Span<const Facing> facing, const Ways& ways, Span<std::uint32_t> meets,
                   Span<std::uint32_t> marked) {
  const Index n = reduce(ex, "contact.meet", pairs.size, Index(0),
                         Meets{separation, pairs, facing, ways, marked, meets}, Plus{});
  if (n > 0) parallel_for(ex, "contact.mark", marked.size, MarkPoint{slots, meets, marked});
  return n;
}

void mark_all(const Exec& ex, Span<std::uint32_t> marked) {
  parallel_for(ex, "contact.mark", marked.size, Mark{marked});
}

void shorten(const Exec& ex, const Slots& slots, Span<const Facing> facing,
             Span<const std::uint32_t> marked, Span<const Real> w, Span<const Vec<3>> from, Real h,
             Span<Vec<3>> x, Span<Vec<3>> v) {
  parallel_for(ex, "contact.shorten", x.size,
               Shorten{slots, facing, marked, w, from, Real(1) / h, x, v});
}

Real farthest(const Exec& ex, Span<const Vec<3>> from, Span<const Vec<3>> to) {
  return reduce(ex, "contact.farthest", to.size, Real(0), DistanceOf{from, to}, Max{});
}

Index count_intersections(const Exec& ex, const ItemTree<3>& triangles, const ItemTree<2>& edges,
                          Span<const Vec<3>> position) {
  return reduce(ex, "contact.intersections", edges.items.size, Index(0),
                Pierced{triangles, edges, position}, Plus{});
}

}  // namespace rtsim::contact
