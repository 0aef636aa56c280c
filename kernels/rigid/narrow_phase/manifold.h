#pragma once
#include <cstdint>

#include "exec/span.h"
#include "lanes/row4.h"
#include "rigid/body.h"

namespace rtsim::rigid {

// Where two bodies touch, or will within the step: points in one plane with one normal. Bodies are
// rows of their table; behind them come the boundaries, in the stage's order. In whole rows of four
// numbers, so that eight are loaded by transposes.
template <int D>
struct ManifoldHead {
  Index a, b;                    // a < b
  std::uint32_t part_a, part_b;  // of a's and b's shape; of a mesh the triangle
  alignas(Row4) Vec<D> normal;   // from a to b
  std::int32_t points;           // 1 to most_points
};

// Of each point the arms [m] in the world's axes, from a's centre of mass and from b's, or of a
// boundary from its pose's centre; the separation [m], negative where they overlap; and a feature,
// the same from step to step while the same corners touch.
template <int D>
struct Manifold;

template <>
struct Manifold<2> : ManifoldHead<2> {
  static constexpr int most_points = 2;
  static constexpr Index rows_of_points(int) { return 3; }

  RTSIM_HD Vec<2>& arm_a(int k) { return arms_a[k]; }
  RTSIM_HD Vec<2>& arm_b(int k) { return arms_b[k]; }
  RTSIM_HD Real& separation(int k) { return separations[k]; }
  RTSIM_HD std::uint32_t& feature(int k) { return features[k]; }
  RTSIM_HD const Vec<2>& arm_a(int k) const { return arms_a[k]; }
  RTSIM_HD const Vec<2>& arm_b(int k) const { return arms_b[k]; }
  RTSIM_HD Real separation(int k) const { return separations[k]; }
  RTSIM_HD std::uint32_t feature(int k) const { return features[k]; }

 private:
  alignas(Row4) Vec<2> arms_a[most_points];
  alignas(Row4) Vec<2> arms_b[most_points];
  alignas(Row4) Real separations[most_points];
  std::uint32_t features[most_points];
};

// In space most have one point of four: points are one behind the other, and a list ends each
// manifold behind its last.
template <>
struct Manifold<3> : ManifoldHead<3> {
  static constexpr int most_points = 4;
  static constexpr Index rows_of_points(int points) { return 2 * points; }

  RTSIM_HD Vec<3>& arm_a(int k) { return point[k].arm_a; }
  RTSIM_HD Vec<3>& arm_b(int k) { return point[k].arm_b; }
  RTSIM_HD Real& separation(int k) { return point[k].separation; }
  RTSIM_HD std::uint32_t& feature(int k) { return point[k].feature; }
  RTSIM_HD const Vec<3>& arm_a(int k) const { return point[k].arm_a; }
  RTSIM_HD const Vec<3>& arm_b(int k) const { return point[k].arm_b; }
  RTSIM_HD Real separation(int k) const { return point[k].separation; }
  RTSIM_HD std::uint32_t feature(int k) const { return point[k].feature; }

 private:
  struct alignas(Row4) Point {
    Vec<3> arm_a;
    Real separation;
    Vec<3> arm_b;
    std::uint32_t feature;
  };
  Point point[most_points];
};

template <int D>
constexpr Index manifold_rows = Index(sizeof(Manifold<D>) / sizeof(Row4));
constexpr Index manifold_head_rows = 2;
static_assert(manifold_rows<2> == manifold_head_rows + Manifold<2>::rows_of_points(2));
static_assert(manifold_rows<3> == manifold_head_rows + Manifold<3>::rows_of_points(4));

// Manifolds one behind the other.
template <int D>
struct ManifoldList {
  Span<const Row4> rows;
  Span<const Index> first;  // row of each; or none, and each has room for all points
  Index size = 0;

  RTSIM_HD Index row(Index k) const {
    if (D == 2 || first.size == 0) return manifold_rows<D> * k;
    return first[k];
  }
  // Of its points only those that it has are there.
  RTSIM_HD const Manifold<D>& operator[](Index k) const {
    return *reinterpret_cast<const Manifold<D>*>(rows.data + row(k));
  }
};

}  // namespace rtsim::rigid
