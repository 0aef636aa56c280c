#pragma once
#include "base/vec.h"
#include "lanes/gather.h"

// A grid as kernels see it: cells of one size in rows, x fastest.
namespace rtsim::grid {

struct GridView {
  Index n[3] = {1, 1, 1};
  Vec<3> first;      // centre of cell (0, 0, 0) [m]
  Vec<3> step;       // to the next cell along each axis [m]; 0 where there is no extent
  Real spacing = 1;  // [m]

  RTSIM_HD Index rows() const { return n[0] * n[1] * n[2]; }
  RTSIM_HD Index row(Index i, Index j, Index k) const { return i + n[0] * (j + n[1] * k); }
  RTSIM_HD Vec<3> place(Index i, Index j, Index k) const {
    return {
        {first[0] + Real(i) * step[0], first[1] + Real(j) * step[1], first[2] + Real(k) * step[2]}};
  }
  RTSIM_HD Vec<3> place(Index row) const {
    return place(row % n[0], row / n[0] % n[1], row / n[0] / n[1]);
  }
};

// How many cells a way is along each axis.
RTSIM_HD inline Vec<3> in_cells(const GridView& g, const Vec<3>& way) {
  Vec<3> t;
  for (int a = 0; a < 3; ++a) t[a] = g.step[a] > 0 ? way[a] / g.step[a] : Real(0);
  return t;
}

// Linear between the values of a grid, at `t` in cells from the centre of the first; beyond its
// ends the nearest one.
RTSIM_HD inline Real interpolate_in_cells(const GridView& g, const Real* values, const Vec<3>& t) {
  Index low[3], high[3];
  Real f[3];
  for (int a = 0; a < 3; ++a) {
    const Real last = Real(g.n[a] - 1), u = t[a] > 0 ? (t[a] < last ? t[a] : last) : 0;
    low[a] = Index(u), high[a] = low[a] < g.n[a] - 1 ? low[a] + 1 : low[a];
    f[a] = u - Real(low[a]);
  }
  const auto line = [&](Index j, Index k) {
    return (1 - f[0]) * values[g.row(low[0], j, k)] + f[0] * values[g.row(high[0], j, k)];
  };
  const auto plane = [&](Index k) {
    return (1 - f[1]) * line(low[1], k) + f[1] * line(high[1], k);
  };
  return (1 - f[2]) * plane(low[2]) + f[2] * plane(high[2]);
}
// The same of a place or eight of them in a grid of at least two cells along each of D axes.
template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline T interpolate_in_cells(const GridView& g, const Real* values,
                                                              const T (&t)[D]) {
  using I = typename Rows<T>::Integer;
  const Index stride[3] = {1, g.n[0], g.n[0] * g.n[1]};
  I first(0);
  T high[D], low[D];
  for (int a = 0; a < D; ++a) {
    const T u = greatest(T(Real(0)), least(T(Real(g.n[a] - 1)), t[a])),
            whole = least(T(Real(g.n[a] - 2)), floor_of(u));
    high[a] = u - whole, low[a] = T(Real(1)) - high[a];
    first = first + to_index(whole) * I(stride[a]);
  }
  const auto line = [&](Index step) {
    const Pair<T> p = gather_pair(values + step, first);
    return low[0] * p.first + high[0] * p.second;
  };
  const auto plane = [&](Index step) {
    return low[1] * line(step) + high[1] * line(step + stride[1]);
  };
  if constexpr (D == 2)
    return plane(0);
  else
    return low[2] * plane(0) + high[2] * plane(stride[2]);
}
RTSIM_HD inline Real interpolate(const GridView& g, const Real* values, const Vec<3>& x) {
  return interpolate_in_cells(g, values, in_cells(g, x - g.first));
}

}  // namespace rtsim::grid
