#include "contact/penetration.h"

#include "contact/way_out.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

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
