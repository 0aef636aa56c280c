#include "contact/surface_crossing.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

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

}  // namespace rtsim::contact
