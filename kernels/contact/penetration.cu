#include "contact/penetration.h"

#include "contact/feature_boxes.h"
#include "contact/tet_cells.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

// Of an edge's length: what leaves a plane by less runs along it.
constexpr double least_slope = 1e-3;

RTSIM_HD int mesh_of(const TetCells& c, std::int32_t point) { return c.part[point]; }
RTSIM_HD int mesh_of_tet(const TetCells& c, Index tet) { return c.part[c.tets[tet][0]]; }

// An edge at the plane of a triangle: s along it, the normal, and how fast it goes outwards.
struct Crossing {
  double s;
  Vec3d place, normal;
  double outwards;  // its direction along the normal
  Index triangle;   // in the tree
};

// Whether it goes through the triangle, or past its rim by no more than the slack: edges of
// surfaces that lie in each other's plane leave through rims.
RTSIM_HD bool cross_triangle(const TetCells& c, const Vec3d& a, const Vec3d& b, const Corners3& t,
                             double slack, Crossing& to) {
  const Vec3d p[3] = {widen(c.position[t[0]]), widen(c.position[t[1]]), widen(c.position[t[2]])};
  const Vec3d n = cross(p[1] - p[0], p[2] - p[0]), way = b - a;
  const double above = dot(n, a - p[0]), below = dot(n, b - p[0]), n2 = dot(n, n),
               length = norm(way);
  if (!(above * below < 0) || !(n2 > 0)) return false;
  to.s = above / (above - below);
  to.place = a + to.s * way;
  to.normal = 1 / std::sqrt(n2) * n;
  to.outwards = dot(to.normal, way) / length;
  if (!(std::abs(to.outwards) > least_slope)) return false;
  const Vec3d off = to.place - nearest_on_triangle(to.place, p).point;
  return dot(off, off) <= slack * slack;
}

// Of rounding only.
RTSIM_HD Real strictly(const TetCells& c) { return Real(1e-4) * c.slack; }

// visit(crossing, mesh) where the edge from a to b goes through surfaces of other solids.
template <class Visit>
RTSIM_HD void for_crossings(const TetCells& c, const Surfaces& s, std::int32_t a, std::int32_t b,
                            Real slack, const Visit& visit) {
  const BoxNode box = box_of(Corners2{{a, b}}, {c.position, c.position}, slack);
  const Vec3d xa = widen(c.position[a]), xb = widen(c.position[b]);
  for_items(s.triangles, box, [&](Index k) {
    const Corners3& t = s.triangles.items[k];
    const int mesh = mesh_of(c, t[0]);
    if (mesh == mesh_of(c, a) || !s.solid[mesh]) return;
    if (!overlap(box, box_of(t, {c.position, c.position}, 0))) return;
    Crossing x;
    x.triangle = k;
    if (cross_triangle(c, xa, xb, t, double(slack), x)) visit(x, mesh);
  });
}

// The sums of Heidelberger et al. for one point.
struct WaySum {
  double weight = 0, depth = 0;
  Vec3d direction;

  RTSIM_HD void add(const Vec3d& to, double least2, const Vec3d& normal, double deep) {
    const double d2 = dot(to, to), w = 1 / (d2 > least2 ? d2 : least2);
    weight += w, depth += w * deep, direction = direction + w * normal;
  }
  // Whether the directions agree: of three faces at right angles a mean has the length 0.577; what
  // is pierced through has opposite ones.
  RTSIM_HD bool way(WayOut& to) const {
    const double length = norm(direction);
    if (!(length > 0.5 * weight) || !(weight > 0)) return false;
    for (int a = 0; a < 3; ++a) to[a] = Real(direction[a] / length);
    to[3] = Real(depth / weight);
    return true;
  }
};

struct InBox {
  Span<const Vec<3>> x;
  Index begin;
  RTSIM_HD Box operator()(Index i) const { return {x[begin + i], x[begin + i]}; }
};
struct Join {
  RTSIM_HD Box operator()(Box a, const Box& b) const {
    for (int k = 0; k < 3; ++k) {
      if (b.low[k] < a.low[k]) a.low[k] = b.low[k];
      if (b.high[k] > a.high[k]) a.high[k] = b.high[k];
    }
    return a;
  }
};

struct CellsOfTet {
  TetCells cells;
  RTSIM_HD double operator()(Index i) const { return range_of(cells, i).count(); }
};
struct CountCells {
  TetCells cells;
  Span<Index> count;
  RTSIM_HD void operator()(Index i) const { count[i] = Index(range_of(cells, i).count()); }
};
struct WriteCells {
  TetCells cells;
  Span<const Index> first;
  Span<Index> tet;
  Span<std::uint32_t> bucket;
  RTSIM_HD void operator()(Index i) const {
    const CellRange r = range_of(cells, i);
    if (r.count() == 0) return;
    Index at = first[i];
    for (int z = r.low[2]; z <= r.high[2]; ++z)
      for (int y = r.low[1]; y <= r.high[1]; ++y)
        for (int x = r.low[0]; x <= r.high[0]; ++x, ++at)
          tet[at] = i, bucket[at] = bucket_of(cells, x, y, z);
  }
};

struct Nowhere {
  Span<Index> inside, close;
  RTSIM_HD void operator()(Index i) const { inside[i] = close[i] = -1; }
};
struct FindInside {
  TetCells cells;
  Span<const std::int32_t> points;
  Span<Index> inside, close;
  RTSIM_HD Index operator()(Index i) const {
    const std::int32_t p = points[i];
    const InTet in =
        tet_around(cells, widen(cells.position[p]), mesh_of(cells, p), double(cells.slack));
    close[p] = in.tet;
    inside[p] = in.tet >= 0 && outside_of(cells, in) < double(strictly(cells)) ? in.tet : -1;
    return inside[p] >= 0 ? 1 : 0;
  }
};
struct GrowInside {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> close, inside;
  Span<Index> next;
  RTSIM_HD Index operator()(Index i) const {
    next[i] = inside[i];
    if (inside[i] >= 0 || close[i] < 0) return 0;
    const int mesh = mesh_of_tet(cells, close[i]);
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1]; ++k) {
      const Index in = inside[surfaces.neighbours[k]];
      if (in >= 0 && mesh_of_tet(cells, in) == mesh) next[i] = close[i];
    }
    return next[i] >= 0 ? 1 : 0;
  }
};

RTSIM_HD bool in_mesh(const TetCells& c, Span<const Index> inside, std::int32_t p, int mesh) {
  return inside[p] >= 0 && mesh_of_tet(c, inside[p]) == mesh;
}

// The first place where the edge from p, which is inside a mesh, to q leaves it; s > 1: none.
RTSIM_HD Crossing where_it_leaves(const TetCells& c, const Surfaces& s, std::int32_t p,
                                  std::int32_t q, int mesh) {
  Crossing leaves{2, {}, {}, 0, -1};
  for_crossings(c, s, p, q, c.slack, [&](const Crossing& x, int of) {
    if (of == mesh && x.outwards > 0 && x.s < leaves.s) leaves = x;
  });
  return leaves;
}

struct ConfirmInside {
  TetCells cells;
  Surfaces surfaces;
  bool crossing;
  Span<const Index> inside;
  Span<Index> next;
  RTSIM_HD Index operator()(Index i) const {
    next[i] = inside[i];
    if (inside[i] < 0) return 0;
    const auto p = std::int32_t(i);
    const int mesh = mesh_of_tet(cells, inside[i]);
    bool leads_out = false, leaves = false;
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1] && !leaves; ++k) {
      const auto q = std::int32_t(surfaces.neighbours[k]);
      if (in_mesh(cells, inside, q, mesh)) continue;
      leads_out = true;
      leaves = crossing && where_it_leaves(cells, surfaces, p, q, mesh).s <= 1;
    }
    if (leads_out && !leaves) next[i] = -1;
    return next[i] >= 0 ? 1 : 0;
  }
};

struct MarkNear {
  Surfaces surfaces;
  Span<const Index> inside;
  Span<std::uint32_t> near;
  RTSIM_HD void operator()(Index i) const {
    bool any = inside[i] >= 0;
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1]; ++k)
      any = any || inside[surfaces.neighbours[k]] >= 0;
    near[i] = any ? 1 : 0;
  }
};

struct FindCrossing {
  TetCells cells;
  Surfaces surfaces;
  Span<std::uint32_t> crosses;
  RTSIM_HD Index operator()(Index e) const {
    const Corners2& edge = surfaces.edges.items[e];
    std::uint32_t any = 0;
    if (!cells.reach[mesh_of(cells, edge[0])].empty())
      for_crossings(cells, surfaces, edge[0], edge[1], 0, [&](const Crossing&, int) { any = 1; });
    crosses[e] = any;
    return Index(any);
  }
};

RTSIM_HD double least_square(const TetCells& c) {
  const double d = 1e-3 * double(c.cell);
  return d * d;
}

RTSIM_HD Vec3d direction_of(const WayOut& w) {
  return {{double(w[0]), double(w[1]), double(w[2])}};
}

enum class WayFrom { border, neighbours, what_pierces };

// The sums of a point that is inside a mesh, from what says which way leads out.
struct WaySearch {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> inside;
  Span<WayOut> ways;
  Span<const std::uint32_t> level;

  RTSIM_HD int mesh(Index i) const { return mesh_of_tet(cells, inside[i]); }
  RTSIM_HD Vec3d place(Index i) const { return widen(cells.position[i]); }

  // visit(crossing) where edges of the point leave the mesh that it is in.
  template <class Visit>
  RTSIM_HD void for_exits(Index i, const Visit& visit) const {
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1]; ++k) {
      const auto q = std::int32_t(surfaces.neighbours[k]);
      if (in_mesh(cells, inside, q, mesh(i))) continue;
      const Crossing leaves = where_it_leaves(cells, surfaces, std::int32_t(i), q, mesh(i));
      if (leaves.s <= 1) visit(leaves);
    }
  }
  RTSIM_HD WaySum from_border(Index i) const {
    WaySum sum;
    for_exits(i, [&](const Crossing& leaves) {
      const Vec3d to = leaves.place - place(i);
      sum.add(to, least_square(cells), leaves.normal, dot(to, leaves.normal));
    });
    return sum;
  }
  RTSIM_HD WaySum from_neighbours(Index i) const {
    WaySum sum;
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1]; ++k) {
      const auto q = std::int32_t(surfaces.neighbours[k]);
      if (level[q] == 0 || !in_mesh(cells, inside, q, mesh(i))) continue;
      const Vec3d r = direction_of(ways[q]), to = place(q) - place(i);
      sum.add(to, least_square(cells), r, dot(to, r) + double(ways[q][3]));
    }
    return sum;
  }
  RTSIM_HD WaySum from_what_pierces(Index i) const {
    WaySum sum;
    const int own = mesh_of(cells, std::int32_t(i));
    for_exits(i, [&](const Crossing& leaves) {
      for (int n = 0; n < 3; ++n) {
        const std::int32_t q = surfaces.triangles.items[leaves.triangle][n];
        if (level[q] == 0 || !in_mesh(cells, inside, q, own)) continue;
        sum.add(place(q) - place(i), least_square(cells), -direction_of(ways[q]),
                double(ways[q][3]));
      }
    });
    return sum;
  }
};

// One round: of points that have no way yet. Those that get one are `next`.
template <WayFrom from>
struct FindWay {
  WaySearch search;
  Span<std::uint32_t> next;

  RTSIM_HD WaySum sum(Index i) const {
    if constexpr (from == WayFrom::border) return search.from_border(i);
    if constexpr (from == WayFrom::neighbours) return search.from_neighbours(i);
    if constexpr (from == WayFrom::what_pierces) return search.from_what_pierces(i);
  }

  RTSIM_HD Index operator()(Index i) const {
    next[i] = search.level[i];
    if (search.inside[i] < 0 || next[i] > 0) return 0;
    if (sum(i).way(search.ways[i])) next[i] = 1;
    return Index(next[i]);
  }
};

RTSIM_HD bool better(const Shortest& a, const Shortest& b) {
  return a.distance < b.distance || (a.distance == b.distance && a.from < b.from);
}

// The nearest place of a mesh's surface, and its normal.
RTSIM_HD Exit nearest_exit(const TetCells& c, const Surfaces& s, const Vec3d& x, int mesh,
                           double& distance) {
  Exit exit{};
  double least = 1e60;
  Index stack[tree_depth];
  int waiting = 1;
  stack[0] = 0;
  while (waiting > 0) {
    const Index at = stack[--waiting];
    const BoxNode& n = s.triangles.nodes[at];
    if (double(squared_distance(n, narrow<3>(x))) > 1.001 * least) continue;
    if (n.count == 0) {
      stack[waiting++] = n.first;
      stack[waiting++] = at + 1;
      continue;
    }
    for (Index k = n.first; k < n.first + n.count; ++k) {
      const Corners3& t = s.triangles.items[k];
      if (mesh_of(c, t[0]) != mesh) continue;
      const Vec3d p[3] = {widen(c.position[t[0]]), widen(c.position[t[1]]),
                          widen(c.position[t[2]])};
      const Vec3d on = nearest_on_triangle(x, p).point;
      const double d2 = dot(on - x, on - x);
      if (!(d2 < least)) continue;
      const Vec3d area = cross(p[1] - p[0], p[2] - p[0]);
      const double length = norm(area);
      if (!(length > 0)) continue;
      least = d2;
      exit.place = narrow<3>(on), exit.normal = narrow<3>(1 / length * area);
    }
  }
  distance = std::sqrt(least);
  return exit;
}

// From inside to the nearest place; on the surface itself the direction is the face's.
RTSIM_HD Exit exit_of(const TetCells& c, const Surfaces& s, const Vec3d& x, int mesh,
                      double& distance) {
  Exit exit = nearest_exit(c, s, x, mesh, distance);
  const Vec3d to = widen(exit.place) - x;
  if (distance > std::sqrt(least_square(c)) && dot(to, widen(exit.normal)) > 0)
    exit.normal = narrow<3>(1 / distance * to);
  return exit;
}

struct NearestExit {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> inside;
  Span<const std::uint32_t> level;
  Span<Exit> exits;
  Span<Shortest> shortest;
  RTSIM_HD void operator()(Index i) const {
    if (inside[i] < 0 || level[i] > 0) return;
    double distance;
    exits[i] =
        exit_of(cells, surfaces, widen(cells.position[i]), mesh_of_tet(cells, inside[i]), distance);
    shortest[i] = {Real(distance), std::int32_t(i)};
  }
};

struct SpreadExit {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> inside;
  Span<const std::uint32_t> level;
  Span<const Shortest> shortest;
  Span<Shortest> next;
  RTSIM_HD Index operator()(Index i) const {
    if (inside[i] < 0 || level[i] > 0) return 0;
    const int mesh = mesh_of_tet(cells, inside[i]);
    Shortest best = shortest[i];
    for (Index k = surfaces.first[i]; k < surfaces.first[i + 1]; ++k) {
      const auto q = std::int32_t(surfaces.neighbours[k]);
      if (level[q] > 0 || !in_mesh(cells, inside, q, mesh)) continue;
      if (better(shortest[q], best)) best = shortest[q];
    }
    next[i] = best;
    return better(best, shortest[i]) ? 1 : 0;
  }
};

struct TakeExit {
  TetCells cells;
  Span<const Index> inside;
  Span<const Exit> exits;
  Span<const Shortest> shortest;
  Span<WayOut> ways;
  Span<std::uint32_t> level;
  RTSIM_HD void operator()(Index i) const {
    if (inside[i] < 0 || level[i] > 0) return;
    const Exit& exit = exits[shortest[i].from];
    const Vec3d to = widen(exit.place) - widen(cells.position[i]);
    for (int a = 0; a < 3; ++a) ways[i][a] = exit.normal[a];
    ways[i][3] = Real(dot(to, widen(exit.normal)));
    level[i] = 1;
  }
};

// Where an edge, both of whose ends are outside, goes into a solid first and leaves it: the middle
// between is inside, and the normals of both places lead out as those of a border point. Triangles
// that dip into the edge's mesh with a corner are left to that.
struct Cut {
  double s = 0;  // of the middle
  InTet in;
  WayOut way;
};

RTSIM_HD bool dips(const TetCells& c, const Surfaces& s, Span<const Index> inside, Index triangle,
                   int mesh) {
  const Corners3& t = s.triangles.items[triangle];
  return in_mesh(c, inside, t[0], mesh) || in_mesh(c, inside, t[1], mesh) ||
         in_mesh(c, inside, t[2], mesh);
}

RTSIM_HD Cut cut_of(const TetCells& c, const Surfaces& surfaces, Span<const Index> inside,
                    const Corners2& e) {
  Crossing enters{2, {}, {}, 0, -1}, leaves{2, {}, {}, 0, -1};
  int mesh = -1;
  for_crossings(c, surfaces, e[0], e[1], strictly(c), [&](const Crossing& x, int of) {
    if (x.outwards < 0 && x.s < enters.s) enters = x, mesh = of;
  });
  for_crossings(c, surfaces, e[0], e[1], strictly(c), [&](const Crossing& x, int of) {
    if (of == mesh && x.outwards > 0 && x.s > enters.s && x.s < leaves.s) leaves = x;
  });
  Cut cut;
  const int own = mesh_of(c, e[0]);
  if (leaves.s > 1 || dips(c, surfaces, inside, enters.triangle, own) ||
      dips(c, surfaces, inside, leaves.triangle, own))
    return cut;
  const Vec3d a = widen(c.position[e[0]]), b = widen(c.position[e[1]]);
  cut.s = 0.5 * (enters.s + leaves.s);
  const Vec3d x = a + cut.s * (b - a);
  cut.in = tet_around(c, x, own, double(strictly(c)));
  if (cut.in.tet < 0) return cut;
  const Vec3d n = enters.normal + leaves.normal;
  WaySum sum;
  sum.add(enters.place - x, 0, enters.normal, dot(enters.place - x, enters.normal));
  sum.add(leaves.place - x, 0, leaves.normal, dot(leaves.place - x, leaves.normal));
  if (norm(n) > 0.5 && sum.way(cut.way)) return cut;
  double distance;  // through opposite sides: the nearest side is out
  const Exit exit = exit_of(c, surfaces, x, mesh_of_tet(c, cut.in.tet), distance);
  for (int k = 0; k < 3; ++k) cut.way[k] = exit.normal[k];
  cut.way[3] = Real(distance);
  return cut;
}

RTSIM_HD bool may_be_cut(const Corners2& e, Span<const Index> inside,
                         Span<const std::uint32_t> crosses, Index i) {
  return crosses[i] && inside[e[0]] < 0 && inside[e[1]] < 0;
}

struct CountPenetration {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> inside;
  Span<const std::uint32_t> crosses;
  Span<Index> count;
  RTSIM_HD void operator()(Index i) const {
    if (i < inside.size) {
      count[i] = inside[i] >= 0 ? 1 : 0;
      return;
    }
    const Index e = i - inside.size;
    const Corners2& edge = surfaces.edges.items[e];
    const bool cut =
        may_be_cut(edge, inside, crosses, e) && cut_of(cells, surfaces, inside, edge).in.tet >= 0;
    count[i] = cut ? 1 : 0;
  }
};

struct WritePenetration {
  TetCells cells;
  Surfaces surfaces;
  Span<const Index> inside;
  Span<const std::uint32_t> crosses;
  Span<const WayOut> ways;
  Span<const Index> first;
  Span<Penetration> to;

  RTSIM_HD void write(Index at, const Corners2& e, double s, const InTet& in,
                      const WayOut& way) const {
    Penetration n;
    n.p[0] = e[0], n.p[1] = e[1];
    n.weight[0] = Real(1 - s), n.weight[1] = Real(s);
    for (int k = 0; k < 4; ++k)
      n.p[2 + k] = cells.tets[in.tet][k], n.weight[2 + k] = Real(-in.weight[k]);
    n.normal = {{way[0], way[1], way[2]}};
    n.depth = way[3] > 0 ? way[3] : 0;
    to[at] = n;
  }
  RTSIM_HD void operator()(Index i) const {
    if (i < inside.size) {
      if (inside[i] < 0) return;
      const auto p = std::int32_t(i);
      const InTet in = weights_in(cells, inside[i], widen(cells.position[i]));
      return write(first[i], {{p, p}}, 0, in, ways[i]);
    }
    const Index e = i - inside.size;
    const Corners2& edge = surfaces.edges.items[e];
    if (!may_be_cut(edge, inside, crosses, e)) return;
    const Cut cut = cut_of(cells, surfaces, inside, edge);
    if (cut.in.tet >= 0) write(first[i], edge, cut.s, cut.in, cut.way);
  }
};

struct PenetrationKey {
  Span<const Penetration> items;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index i) const {
    for (int k = 0; k < 6; ++k) keys[6 * i + k] = std::uint32_t(items[i].p[k]);
  }
};

struct LookAhead {
  Span<const Vec<3>> x, v;
  Real h;
  Span<Vec<3>> ahead;
  RTSIM_HD void operator()(Index i) const { ahead[i] = x[i] + h * v[i]; }
};

struct PushOut {
  SelfRules rules;
  Span<const Penetration> items;
  Span<const Real> w;
  Span<const Vec<3>> x, ahead;
  Span<Vec<4>> moves;

  RTSIM_HD void operator()(Index i) const {
    const Penetration& n = items[i];
    Vec<3> slid;
    for (int k = 0; k < 6; ++k) {
      slid = slid + n.weight[k] * (ahead[n.p[k]] - x[n.p[k]]);
    }
    const Real clear = n.depth + rules.thickness;
    const Real wanted = clear < rules.recovery ? clear : rules.recovery;
    const Real missing = wanted - dot(n.normal, slid);
    const Real gives = mobility<6>(n.p, n.weight, w);
    const bool acts = missing > 0 && gives > 0;
    Vec<3> push;
    if (acts) {
      slid = slid - dot(n.normal, slid) * n.normal;
      const Real length = norm(slid), most = rules.friction * missing;
      const Real held = length > 0 ? (most < length ? most / length : Real(1)) : 0;
      push = Real(1) / gives * (missing * n.normal - held * slid);
    }
    for (int k = 0; k < 6; ++k) {
      const Vec<3> d = w[n.p[k]] * n.weight[k] * push;
      moves[6 * i + k] = {
          {d[0], d[1], d[2], acts && n.weight[k] != 0 && w[n.p[k]] > 0 ? Real(1) : Real(0)}};
    }
  }
};

}  // namespace

Box box_of_points(const Exec& ex, Span<const Vec<3>> position, Index first, Index end) {
  const BoxNode none = nothing();
  return reduce(ex, "contact.box", end - first, Box{none.low, none.high}, InBox{position, first},
                Join{});
}

double cells_of_tets(const Exec& ex, const TetCells& c) {
  return reduce(ex, "contact.cells", c.tets.size, 0., CellsOfTet{c}, Plus{});
}
void count_cells(const Exec& ex, const TetCells& c, Span<Index> count) {
  parallel_for(ex, "contact.cells", c.tets.size, CountCells{c, count});
}
void write_cells(const Exec& ex, const TetCells& c, Span<const Index> first, Span<Index> tet,
                 Span<std::uint32_t> bucket) {
  parallel_for(ex, "contact.cells", c.tets.size, WriteCells{c, first, tet, bucket});
}

Index find_inside(const Exec& ex, const TetCells& c, Span<const std::int32_t> points,
                  Span<Index> inside, Span<Index> close) {
  parallel_for(ex, "contact.inside", inside.size, Nowhere{inside, close});
  return reduce(ex, "contact.inside", points.size, Index(0), FindInside{c, points, inside, close},
                Plus{});
}
Index grow_inside(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> close,
                  Span<const Index> inside, Span<Index> next) {
  return reduce(ex, "contact.inside", inside.size, Index(0), GrowInside{c, s, close, inside, next},
                Plus{});
}

Index confirm_inside(const Exec& ex, const TetCells& c, const Surfaces& s, bool crossing,
                     Span<const Index> inside, Span<Index> next) {
  return reduce(ex, "contact.inside", inside.size, Index(0),
                ConfirmInside{c, s, crossing, inside, next}, Plus{});
}

void mark_near(const Exec& ex, const Surfaces& s, Span<const Index> inside,
               Span<std::uint32_t> near) {
  parallel_for(ex, "contact.near", inside.size, MarkNear{s, inside, near});
}

Index find_crossing(const Exec& ex, const TetCells& c, const Surfaces& s,
                    Span<std::uint32_t> crosses) {
  return reduce(ex, "contact.crossing", s.edges.items.size, Index(0), FindCrossing{c, s, crosses},
                Plus{});
}

namespace {

template <WayFrom from>
Index find_ways(const Exec& ex, const char* label, const WaySearch& s, Span<std::uint32_t> next) {
  return reduce(ex, label, s.inside.size, Index(0), FindWay<from>{s, next}, Plus{});
}

}  // namespace

Index border_ways(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> inside,
                  Span<WayOut> ways, Span<const std::uint32_t> level, Span<std::uint32_t> next) {
  return find_ways<WayFrom::border>(ex, "contact.border", {c, s, inside, ways, level}, next);
}
Index spread_ways(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> inside,
                  Span<WayOut> ways, Span<const std::uint32_t> level, Span<std::uint32_t> next) {
  return find_ways<WayFrom::neighbours>(ex, "contact.spread", {c, s, inside, ways, level}, next);
}
Index react_ways(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> inside,
                 Span<WayOut> ways, Span<const std::uint32_t> level, Span<std::uint32_t> next) {
  return find_ways<WayFrom::what_pierces>(ex, "contact.react", {c, s, inside, ways, level}, next);
}

void nearest_exits(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> inside,
                   Span<const std::uint32_t> level, Span<Exit> exits, Span<Shortest> shortest) {
  parallel_for(ex, "contact.exits", inside.size, NearestExit{c, s, inside, level, exits, shortest});
}
Index spread_exits(const Exec& ex, const TetCells& c, const Surfaces& s, Span<const Index> inside,
                   Span<const std::uint32_t> level, Span<const Shortest> shortest,
                   Span<Shortest> next) {
  return reduce(ex, "contact.exits", inside.size, Index(0),
                SpreadExit{c, s, inside, level, shortest, next}, Plus{});
}
void take_exits(const Exec& ex, const TetCells& c, Span<const Index> inside, Span<const Exit> exits,
                Span<const Shortest> shortest, Span<WayOut> ways, Span<std::uint32_t> level) {
  parallel_for(ex, "contact.exits", inside.size, TakeExit{c, inside, exits, shortest, ways, level});
}

void count_penetrations(const Exec& ex, const TetCells& c, const Surfaces& s,
                        Span<const Index> inside, Span<const std::uint32_t> crosses,
                        Span<Index> count) {
  parallel_for(ex, "contact.penetrations", count.size,
               CountPenetration{c, s, inside, crosses, count});
}
void write_penetrations(const Exec& ex, const TetCells& c, const Surfaces& s,
                        Span<const Index> inside, Span<const std::uint32_t> crosses,
                        Span<const WayOut> ways, Span<const Index> first, Span<Penetration> to) {
  parallel_for(ex, "contact.penetrations", first.size,
               WritePenetration{c, s, inside, crosses, ways, first, to});
}
void penetration_keys(const Exec& ex, Span<const Penetration> items, Span<std::uint32_t> keys) {
  parallel_for(ex, "contact.slots", items.size, PenetrationKey{items, keys});
}

void look_ahead(const Exec& ex, Span<const Vec<3>> x, Span<const Vec<3>> v, Real h,
                Span<Vec<3>> ahead) {
  parallel_for(ex, "contact.ahead", x.size, LookAhead{x, v, h, ahead});
}

void push_out(const Exec& ex, const SelfRules& rules, Span<const Penetration> items,
              const Slots& slots, Span<const Real> w, Span<const Vec<3>> x, Span<Vec<4>> moves,
              Span<Real> count, Real h, Span<Vec<3>> ahead, Span<Vec<3>> v) {
  parallel_for(ex, "contact.push", items.size, PushOut{rules, items, w, x, ahead, moves});
  parallel_for(ex, "contact.count", x.size, CountPoint{slots, moves, count});
  parallel_for(ex, "contact.move", x.size,
               MovePoint<6, Penetration>{slots, items, moves, count, Real(1) / h, ahead, v});
}

}  // namespace rtsim::contact
