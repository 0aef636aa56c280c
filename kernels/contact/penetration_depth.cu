#include "contact/way_out.h"
#include "exec/parallel.h"

namespace rtsim::contact {

namespace {

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

}  // namespace rtsim::contact
