#pragma once
#include "lanes/gather.h"
#include "mac/lattice.h"

// Values between those of a grid, linear along each axis. A place is a row of a lattice and an
// offset from it in cells, so that mirrored flows give mirrored bits: nothing depends on where the
// row is, and the half cell between two lattices is not added to the offset, which would round a
// way to the left otherwise than one to the right. T is a number or eight of them.
namespace rtsim::advection {

// The corners around a place and their weights.
template <int D, class T>
struct Corners {
  typename Rows<T>::Integer index;
  bool in_row;
  T low[D], high[D];
};

// Of a lattice: which places exist. Outside them the nearest one is taken.
struct Reach {
  Real low[3], high[3];  // [cells]
  Index period[3];       // 0 where nothing repeats
};

template <class T>
struct Range {
  T value, low, high;
};

// Weights of the corners beside a place x along an axis, and the lower one.
template <class T>
struct Between {
  T whole, low, high;
};
template <class T>
[[gnu::always_inline]] RTSIM_HD inline Between<T> between_rows(T x) {
  const T whole = floor_of(x);
  return {whole, (whole + T(Real(1))) - x, x - whole};
}
// The same of x + 1/2, from how far x lies off the nearest whole number: so -x has these weights
// the other way round.
template <class T>
[[gnu::always_inline]] RTSIM_HD inline Between<T> half_between_rows(T x) {
  const T half(Real(0.5)), below = floor_of(x);
  const T nearest = below + select_less(half, x - below, T(Real(1)), T(Real(0)));
  const T off = x - nearest;
  return {nearest, half - off, half + off};
}

// `shift`: of each axis, 1/2, 0 or -1/2 [cells] further on.
template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline Corners<D, T> corners(const mac::Layout& layout,
                                                             const Reach& reach, const Index row[3],
                                                             const T offset[D],
                                                             const Real shift[D]) {
  using I = typename Rows<T>::Integer;
  const Index stride[3] = {1, layout.pitch, layout.plane};
  Corners<D, T> c;
  for (int a = 0; a < D; ++a) {
    const T place = (a == 0 ? Rows<T>::place(row[0]) : T(Real(row[a]))) + T(shift[a]);
    T x = offset[a];
    if (reach.period[a] == 0)
      x = greatest(T(reach.low[a]) - place, least(T(reach.high[a]) - place, x));
    else
      x = greatest(T(-Real(reach.period[a])), least(T(Real(reach.period[a])), x));
    const Between<T> beside = shift[a] == 0 ? between_rows(x) : half_between_rows(x);
    c.low[a] = beside.low, c.high[a] = beside.high;
    I i = to_index(beside.whole) +
          (a == 0 ? Rows<T>::from(row[0] - (shift[a] < 0)) : I(row[a] - (shift[a] < 0)));
    if (reach.period[a] != 0) i = wrapped(i, reach.period[a]);
    if (a == 0)
      c.index = i;
    else
      c.index = c.index + i * I(stride[a]);
  }
  if constexpr (D == 2) c.index = c.index + I(row[2] * layout.plane);
  c.in_row = in_row(c.index);
  return c;
}

template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline Corners<D, T> corners(const mac::Layout& layout,
                                                             const Reach& reach, const Index row[3],
                                                             const T offset[D]) {
  const Real none[3] = {0, 0, 0};
  return corners<D, T>(layout, reach, row, offset, none);
}

// Two neighbours along x at a place: side by side for all lanes, or anywhere.
template <class T>
struct InRow {
  const Real* first;
  [[gnu::always_inline]] RTSIM_HD Pair<T> operator()(Index step) const {
    return {Rows<T>::load(first + step), Rows<T>::load(first + step + 1)};
  }
};
template <class T>
struct Anywhere {
  const Real* field;
  typename Rows<T>::Integer index;
  [[gnu::always_inline]] RTSIM_HD Pair<T> operator()(Index step) const {
    return gather_pair(field + step, index);
  }
};

template <int D, class T, class Load>
[[gnu::always_inline]] RTSIM_HD inline T blend(const mac::Layout& layout, const Corners<D, T>& c,
                                               const Load& load) {
  const auto line = [&](Index step) {
    const Pair<T> p = load(step);
    return c.low[0] * p.first + c.high[0] * p.second;
  };
  const auto plane = [&](Index step) {
    return c.low[1] * line(step) + c.high[1] * line(step + layout.pitch);
  };
  if constexpr (D == 2)
    return plane(0);
  else
    return c.low[2] * plane(0) + c.high[2] * plane(layout.plane);
}

template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline T value(const mac::Layout& layout, const Real* field,
                                               const Corners<D, T>& c) {
  if (c.in_row) return blend(layout, c, InRow<T>{field + first_of(c.index)});
  return blend(layout, c, Anywhere<T>{field, c.index});
}

// The value, and the least and greatest of the corners that it is made of.
template <class T>
[[gnu::always_inline]] RTSIM_HD inline Range<T> between(T low, T high, const Range<T>& a,
                                                        const Range<T>& b) {
  // A corner of no weight has no say, else a place on a row would lean to one side.
  return {low * a.value + high * b.value, where_zero(high, a.low, least(a.low, b.low)),
          where_zero(high, a.high, greatest(a.high, b.high))};
}

template <int D, class T, class Load>
[[gnu::always_inline]] RTSIM_HD inline Range<T> blend_range(const mac::Layout& layout,
                                                            const Corners<D, T>& c,
                                                            const Load& load) {
  const auto line = [&](Index step) {
    const Pair<T> p = load(step);
    return between(c.low[0], c.high[0], Range<T>{p.first, p.first, p.first},
                   Range<T>{p.second, p.second, p.second});
  };
  const auto plane = [&](Index step) {
    return between(c.low[1], c.high[1], line(step), line(step + layout.pitch));
  };
  if constexpr (D == 2)
    return plane(0);
  else
    return between(c.low[2], c.high[2], plane(0), plane(layout.plane));
}

template <int D, class T>
[[gnu::always_inline]] RTSIM_HD inline Range<T> value_and_range(const mac::Layout& layout,
                                                                const Real* field,
                                                                const Corners<D, T>& c) {
  if (c.in_row) return blend_range(layout, c, InRow<T>{field + first_of(c.index)});
  return blend_range(layout, c, Anywhere<T>{field, c.index});
}

}  // namespace rtsim::advection
