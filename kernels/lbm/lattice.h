#pragma once
#include <type_traits>
#include <utility>

#include "base/types.h"

// D2Q9 and D3Q19: one velocity at rest, and pairs (c, -c) of opposite ones. Pairs below D lie along
// the axes, the others across the diagonals of faces. Qian, d'Humieres & Lallemand, "Lattice BGK
// Models for Navier-Stokes Equation", Europhys. Lett. 17, 1992.
namespace rtsim::lbm {

template <int D>
struct Lattice {
  static constexpr int pairs = D == 2 ? 4 : 9;
  static constexpr int directions = 1 + 2 * pairs;
  static constexpr Real rest_weight = D == 2 ? Real(4) / 9 : Real(1) / 3;

  RTSIM_HD static constexpr Real weight(int p) {
    return p >= D ? Real(1) / 36 : D == 2 ? Real(1) / 9 : Real(1) / 18;
  }
  // c of pair p along an axis.
  RTSIM_HD static constexpr int along(int p, int axis) {
    constexpr int plane[4][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {-1, 1, 0}};
    constexpr int space[9][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {-1, 1, 0},
                                 {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
    return D == 2 ? plane[p < 4 ? p : 0][axis] : space[p][axis];
  }
};

// std::integral_constant for devices, whose code may call no host function.
template <int value>
struct Constant {
  RTSIM_HD constexpr operator int() const { return value; }
};

// f(p) for p = 0 .. n - 1 as constants.
template <int n, class F>
RTSIM_HD inline void unrolled(const F& f) {
  [&]<int... p>(std::integer_sequence<int, p...>) { (f(Constant<p>{}), ...); }
  (std::make_integer_sequence<int, n>{});
}

// c_p . u, with no more than additions: the last component of c_p that is not zero is 1.
template <int D, int p, int axis = D - 1, class T>
RTSIM_HD inline T dot_pair(const T (&u)[D]) {
  constexpr int c = Lattice<D>::along(p, axis);
  if constexpr (c == 0) {
    return dot_pair<D, p, axis - 1>(u);
  } else {
    T sum = u[axis];
    unrolled<axis>([&](auto a) {
      constexpr int b = Lattice<D>::along(p, a);
      if constexpr (b > 0) sum = sum + u[a];
      if constexpr (b < 0) sum = sum - u[a];
    });
    return sum;
  }
}

// sum over the diagonals of c_p[axis] x_p. Diagonals come in twos, which differ in the sign of the
// first of their components; a tree of sums, since a chain would wait for each of them.
template <int D, int axis, class T, int pairs>
RTSIM_HD inline T sum_along(const T (&x)[pairs]) {
  const auto two = [&](auto p) {
    if constexpr (Lattice<D>::along(p + 1, axis) < 0)
      return x[p] - x[p + 1];
    else
      return x[p] + x[p + 1];
  };
  if constexpr (D == 2)
    return two(Constant<2>{});
  else
    return two(Constant < axis == 2 ? 5 : 3 > {}) + two(Constant < axis == 0 ? 5 : 7 > {});
}

// The same of |c_p[axis]|.
template <int D, int axis, class T, int pairs>
RTSIM_HD inline T sum_across(const T (&x)[pairs]) {
  if constexpr (D == 2)
    return x[2] + x[3];
  else
    return (x[axis == 2 ? 5 : 3] + x[axis == 2 ? 6 : 4]) +
           (x[axis == 0 ? 5 : 7] + x[axis == 0 ? 6 : 8]);
}

// The sum over the diagonals of c_p[a] c_p[b] x_p, a < b.
template <int D, int a, int b, class T, int pairs>
RTSIM_HD inline T sum_sheared(const T (&x)[pairs]) {
  constexpr int p = D + (D == 2 ? 0 : 2 * (a + b - 1));
  return x[p] - x[p + 1];
}

// Where a slot of a padded grid lies: rows along x with a margin, one row and plane of ghosts
// around. The margin keeps rows apart by more than a power of two, which would set the nineteen
// arrays and their neighbour rows against each other in the cache.
struct Layout {
  static constexpr Index margin = 16;
  Index n[3] = {1, 1, 1};
  Index deep = 0;  // planes of ghosts on either side along z: none in the plane
  Index pitch = 0, plane = 0;

  Layout() = default;
  Layout(const Index (&cells)[3], int dim)
      : n{cells[0], cells[1], cells[2]},
        deep(dim == 3),
        pitch(cells[0] + margin),
        plane(pitch * (cells[1] + 2)) {}

  RTSIM_HD Index slot(Index x, Index y, Index z) const {
    return (z + deep) * plane + (y + 1) * pitch + margin + x;
  }
  RTSIM_HD Index row_start(Index row) const { return slot(0, row % n[1], row / n[1]); }
  RTSIM_HD Index rows() const { return n[1] * n[2]; }  // of cells along x
  RTSIM_HD Index cells() const { return n[0] * rows(); }
  RTSIM_HD Index slot_of(Index cell) const { return row_start(cell / n[0]) + cell % n[0]; }
  // From a slot to its neighbour along c_p.
  template <int D>
  RTSIM_HD Index offset(int p) const {
    using L = Lattice<D>;
    return L::along(p, 0) + L::along(p, 1) * pitch + L::along(p, 2) * plane;
  }
  double slots() const {  // may exceed an Index
    return double(n[0] + margin) * (n[1] + 2) * (n[2] + 2 * deep) + 2 * margin;
  }
};

}  // namespace rtsim::lbm
