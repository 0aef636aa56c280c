#include "neighbours/neighbours.h"

#include <algorithm>

#include "exec/parallel.h"

namespace rtsim::neighbours {

namespace {

constexpr Real far_away = Real(1e6);  // [m]; squared it is still a float
constexpr Real unbounded = Real(1e30);

struct Join {
  RTSIM_HD Box operator()(const Box& a, const Box& b) const {
    Box r;
    for (int k = 0; k < 3; ++k) {
      r.low[k] = a.low[k] < b.low[k] ? a.low[k] : b.low[k];
      r.high[k] = a.high[k] > b.high[k] ? a.high[k] : b.high[k];
    }
    return r;
  }
};

template <int D>
struct PointBox {
  Span<const Vec<D>> position;
  RTSIM_HD Box operator()(Index i) const {
    Box r{{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < D; ++k) {
      const Real x = position[i][k];
      const bool finite = x > -unbounded && x < unbounded;
      r.low[k] = finite ? x : unbounded, r.high[k] = finite ? x : -unbounded;
    }
    return r;
  }
};

template <int D>
struct CellKey {
  CellGrid grid;
  Span<const Vec<D>> position;
  Span<std::uint32_t> keys;
  RTSIM_HD void operator()(Index i) const {
    const Vec<D>& x = position[i];
    keys[i] = std::uint32_t(grid.cell({x[0], x[1], D == 3 ? x[D - 1] : Real(0), 0}));
  }
};

template <int D>
struct PackPosition {
  Span<const Vec<D>> position;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const {
    if (i >= position.size) {
      rows[i] = {far_away, far_away, far_away, 0};
      return;
    }
    const Vec<D>& x = position[i];
    rows[i] = {x[0], x[1], D == 3 ? x[D - 1] : Real(0), 0};
  }
};

template <int D>
struct Wrap {
  PeriodicBox box;
  Span<Vec<D>> position;
  RTSIM_HD void operator()(Index i) const {
    for (int a = 0; a < D; ++a) position[i][a] = box.wrapped(a, position[i][a]);
  }
};

}  // namespace

template <int D>
Box bounding_box(const Exec& ex, Span<const Vec<D>> position) {
  const Box nothing{{unbounded, unbounded, unbounded}, {-unbounded, -unbounded, -unbounded}};
  return reduce(ex, "neighbours.bounds", position.size, nothing, PointBox<D>{position}, Join{});
}

CellGrid make_grid(Box box, Box home, double size, double most, const PeriodicBox& periodic) {
  CellGrid g;
  g.box = periodic;
  for (int k = 0; k < 3; ++k)
    if (periodic.length[k] > 0)
      for (Box* b : {&box, &home})
        b->low[k] = periodic.low[k], b->high[k] = periodic.low[k] + periodic.length[k];
  const auto cover = [&](const Box& b, double cell) {
    double cells = 1;
    for (int k = 0; k < 3; ++k) {
      const double extent = std::max(0.0, double(b.high[k]) - double(b.low[k]));
      const double n = std::floor(extent / cell) + 1;
      cells *= n;
      g.low[k] = b.high[k] < b.low[k] ? Real(0) : b.low[k];
      g.count[k] = Index(std::min(n, most));
    }
    g.inv_size = Real(1 / cell);
    return cells <= most;
  };
  if (cover(box, size)) return g;
  while (!cover(home, size)) size *= 1.26;  // halves the cells of a volume
  return g;
}

template <int D>
void cell_keys(const Exec& ex, const CellGrid& grid, Span<const Vec<D>> position,
               Span<std::uint32_t> keys) {
  parallel_for(ex, "neighbours.keys", position.size, CellKey<D>{grid, position, keys});
}

template <int D>
void wrap(const Exec& ex, const PeriodicBox& box, Span<Vec<D>> position) {
  if (box.any) parallel_for(ex, "neighbours.wrap", position.size, Wrap<D>{box, position});
}

template <int D>
void pack_positions(const Exec& ex, Span<const Vec<D>> position, Span<Row4> rows) {
  parallel_for(ex, "neighbours.pack", position.size + lane_count, PackPosition<D>{position, rows});
}

#define RTSIM_INSTANTIATE(D)                                                   \
  template Box bounding_box<D>(const Exec&, Span<const Vec<D>>);               \
  template void cell_keys<D>(const Exec&, const CellGrid&, Span<const Vec<D>>, \
                             Span<std::uint32_t>);                             \
  template void wrap<D>(const Exec&, const PeriodicBox&, Span<Vec<D>>);        \
  template void pack_positions<D>(const Exec&, Span<const Vec<D>>, Span<Row4>);
RTSIM_INSTANTIATE(2)
RTSIM_INSTANTIATE(3)

}  // namespace rtsim::neighbours
