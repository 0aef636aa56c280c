#pragma once
#include "rigid/shapes/part.h"

// Boxes against boxes in the plane, one pair (T: a number) or eight: four separating axes, then the
// edge of one clipped between the ends of the other's.
namespace rtsim::rigid {

// What two boxes touch with: one edge of the reference, and the edge of the other that faces it.
template <class T>
struct FlatContact {
  T gap;              // [m] along the normal
  T second;           // above zero where the reference is the second box
  T nearest;          // above zero where no corners are nearer to one another than edges are
  VecT<T, 2> normal;  // out of the reference
  struct End {
    VecT<T, 2> point;  // in the middle between the surfaces
    T gap;
    T corner;  // 0 to 3 of the other, 4 to 7 of the reference
  } ends[2];
};

// One of two, lane by lane: b where x < y.
template <class T>
struct Choice {
  T x, y;
  RTSIM_HD T operator()(const T& a, const T& b) const { return select_less(x, y, b, a); }
  RTSIM_HD VecT<T, 2> operator()(const VecT<T, 2>& a, const VecT<T, 2>& b) const {
    return {{(*this)(a[0], b[0]), (*this)(a[1], b[1])}};
  }
};

// The edge whose normal is axis `second` (0: the first) with this sign. Edges go on from corners 0
// to 3, counter-clockwise from (-, -).
template <class T>
RTSIM_HD T edge_number(const T& second, const T& sign) {
  const T up = select_less(T(Real(0)), sign, T(Real(1)), T(Real(0)));
  return second * (T(Real(2)) * up) + (T(Real(1)) - second) * (T(Real(3)) - T(Real(2)) * up);
}
template <class T>
RTSIM_HD T next_corner(const T& k) {
  return select_less(k, T(Real(2.5)), k + T(Real(1)), T(Real(0)));
}

template <class T>
RTSIM_HD FlatContact<T> collide_flat(const PlacedBox<2, T>& a, const PlacedBox<2, T>& b) {
  const T zero(Real(0)), one(Real(1)), half(Real(0.5));
  const VecT<T, 2> way = b.centre - a.centre;
  const T a0 = dot(way, a.axes[0]), a1 = dot(way, a.axes[1]);
  const T b0 = dot(way, b.axes[0]), b1 = dot(way, b.axes[1]);
  const T c = size_of(dot(a.axes[0], b.axes[0])), s = size_of(dot(a.axes[0], b.axes[1]));
  const T gap_a0 = size_of(a0) - (a.half[0] + c * b.half[0] + s * b.half[1]);
  const T gap_a1 = size_of(a1) - (a.half[1] + s * b.half[0] + c * b.half[1]);
  const T gap_b0 = size_of(b0) - (b.half[0] + c * a.half[0] + s * a.half[1]);
  const T gap_b1 = size_of(b1) - (b.half[1] + s * a.half[0] + c * a.half[1]);
  const Choice<T> of_a{gap_a0, gap_a1}, of_b{gap_b0, gap_b1};
  const T gap_a = max(gap_a0, gap_a1), gap_b = max(gap_b0, gap_b1);
  const T slack = T(Real(0.01)) * min(min(a.half[0], a.half[1]), min(b.half[0], b.half[1]));
  const Choice<T> pick{gap_a + slack, gap_b};

  FlatContact<T> t;
  t.gap = pick(gap_a, gap_b), t.second = pick(zero, one);
  const VecT<T, 2> from = pick(a.centre, b.centre), to = pick(b.centre, a.centre);
  const T along_axis = pick(of_a(a0, a1), zero - of_b(b0, b1));
  const T up = select_less(along_axis, zero, zero - one, one);
  t.normal = up * pick(of_a(a.axes[0], a.axes[1]), of_b(b.axes[0], b.axes[1]));
  const T deep = pick(of_a(a.half[0], a.half[1]), of_b(b.half[0], b.half[1]));
  const T wide = pick(of_a(a.half[1], a.half[0]), of_b(b.half[1], b.half[0]));
  const T own = edge_number(pick(of_a(zero, one), of_b(zero, one)), up);
  const VecT<T, 2> along{{zero - t.normal[1], t.normal[0]}};

  // The other's edge, which goes the other way.
  const VecT<T, 2> axis0 = pick(b.axes[0], a.axes[0]), axis1 = pick(b.axes[1], a.axes[1]);
  const VecT<T, 2> halves = pick(b.half, a.half);
  const T facing0 = dot(t.normal, axis0), facing1 = dot(t.normal, axis1);
  const Choice<T> most{size_of(facing0), size_of(facing1)};
  const T down = select_less(most(facing0, facing1), zero, one, zero - one);
  const VecT<T, 2> middle = to - from + (down * most(halves[0], halves[1])) * most(axis0, axis1);
  const VecT<T, 2> side = most(halves[1], halves[0]) * most(axis1, axis0);
  const T turn = select_less(dot(side, along), zero, zero - one, one);
  const T u = dot(middle, along), du = turn * dot(side, along);
  const T z = dot(middle, t.normal) - deep, dz = turn * dot(side, t.normal);
  const T facing = edge_number(most(zero, one), down);

  const T u0 = u - du, u1 = u + du, z0 = z - dz, z1 = z + dz;
  const T grown = T(Real(0.004)) * wide, per_u = (dz + dz) / (du + du);
  const Choice<T> before{u0, zero - wide - grown}, beyond{wide + grown, u1};
  const T v0 = before(u0, zero - wide), v1 = beyond(u1, wide);
  const T gap0 = z0 + (v0 - u0) * per_u, gap1 = z1 + (v1 - u1) * per_u;
  t.ends[0] = {from + v0 * along + (deep + half * gap0) * t.normal, gap0,
               before(next_corner(facing), own + T(Real(4)))};
  t.ends[1] = {from + v1 * along + (deep + half * gap1) * t.normal, gap1,
               beyond(facing, next_corner(own) + T(Real(4)))};

  // Overlapping, or a corner stands over the edge.
  const auto over = [&](const T& v, const T& height) {
    const T within = select_less(size_of(v), wide, one, zero);
    return select_less(height, t.gap + slack, within, zero);
  };
  const T stands = select_less(zero, t.gap, max(over(u0, z0), over(u1, z1)), one);
  const T meets =
      select_less(u1, zero - wide - grown, zero, select_less(wide + grown, u0, zero, one));
  t.nearest = stands * meets;
  return t;
}

// Points nearer than `reach` [m].
RTSIM_HD inline ContactGeometry<2> flat_geometry(const FlatContact<Real>& t, Real reach) {
  ContactGeometry<2> out;
  const bool first = !(t.second > 0);
  out.normal = first ? t.normal : -t.normal;
  for (const auto& end : t.ends) {
    if (end.gap > reach) continue;
    const int k = int(end.corner);
    out.add(end.point, end.gap,
            (k < 4) == first ? corner_of_second(k & 3) : corner_of_first(k & 3));
  }
  return out;
}

}  // namespace rtsim::rigid
