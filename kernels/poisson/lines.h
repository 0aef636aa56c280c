#pragma once
#include <algorithm>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "poisson/level.h"

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define RTSIM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define RTSIM_INDEPENDENT
#endif

// Loops over the cells of a level: by lines on the CPU, whose cells the compiler takes eight at a
// time, or a cell a thread. A body has operator()(line, cell), and says with `every_cell` whether
// it is for cells beyond those that hold the unknowns of a line, too.
namespace rtsim::poisson {

constexpr Index cells_per_chunk = 16384;  // smaller levels run on the caller

inline Index lines_per_chunk(Index n) { return n < cells_per_chunk ? cells_per_chunk / n : 1; }

template <class Body>
struct OneCell {
  Level level;
  Body body;

  RTSIM_HD auto operator()(Index r) const {
    const Line l = level.line(r / level.n[0]);
    return body(l, any_cell(l, level.n[0], r % level.n[0]));
  }
};

// f(line, cell) for cells begin to end of a line on the CPU. Where axes along the line are not
// periodic the cells at the ends take what lies before and after them in memory for neighbours, of
// weight 0: arrays of values are CellValues (lib/grids/multigrid.h), with a number on either side.
template <class Function>
[[gnu::always_inline]] inline void walk(const Level& level, Index which, Index begin, Index end,
                                        const Function& f) {
  const Line l = level.line(which);
  const Index n = level.n[0];
  if (l.wrap != 0) {
    if (begin == 0) f(l, any_cell(l, n, 0));
    const Index last = end < n ? end : n - 1;
    RTSIM_INDEPENDENT
    for (Index i = begin > 0 ? begin : 1; i < last; ++i) f(l, inner_cell(l, i));
    if (end == n) f(l, any_cell(l, n, n - 1));
    return;
  }
  const Extent& e = level.extent(which);
  const Index middle_begin = std::max(e.middle_begin, begin),
              middle_end = std::min(e.middle_end, end);
  if (middle_end <= middle_begin) {
    RTSIM_INDEPENDENT
    for (Index i = begin; i < end; ++i) f(l, inner_cell(l, i));
    return;
  }
  const UniformLine middle(l, middle_begin);
  RTSIM_INDEPENDENT
  for (Index i = begin; i < middle_begin; ++i) f(l, inner_cell(l, i));
  RTSIM_INDEPENDENT
  for (Index i = middle_begin; i < middle_end; ++i) f(middle, inner_cell(middle, i));
  RTSIM_INDEPENDENT
  for (Index i = middle_end; i < end; ++i) f(l, inner_cell(l, i));
}

template <class Body>
void for_cells(const Exec& ex, const char* label, const Level& level, const Body& body) {
  if (!ex.cpu_shaped()) return parallel_for(ex, label, level.cells(), OneCell<Body>{level, body});
  parallel_chunks(
      ex, label, level.lines(), lines_per_chunk(level.n[0]), [&](Index begin, Index end) {
        const Body b = body;
        for (Index which = begin; which < end; ++which) {
          const Extent e = Body::every_cell ? Extent{0, level.n[0]} : level.extent(which);
          if (e.begin < e.end)
            walk(level, which, e.begin, e.end, [&](const auto& l, const Cell& c) { b(l, c); });
        }
      });
}

// How what a pass over the cells returns is folded: in lanes of Real along a line, and in double.
struct Sum {
  template <class T>
  RTSIM_HD T operator()(const T& a, const T& b) const {
    return a + b;
  }
  static double fold(const Lanes<Real>& a) { return double(a.sum()); }
  static Lanes<Real> lanes(const Lanes<Real>& a, const Lanes<Real>& b) { return a + b; }
};
struct Largest {
  template <class T>
  RTSIM_HD T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
  static Lanes<Real> lanes(const Lanes<Real>& a, const Lanes<Real>& b) { return max(a, b); }
  static double fold(const Lanes<Real>& a) {
    Real top[lane_count], largest = 0;
    a.store(top);
    for (Real t : top) largest = t > largest ? t : largest;
    return double(largest);
  }
};

template <class Body>
struct OneTerm {
  OneCell<Body> one;
  RTSIM_HD double operator()(Index r) const { return double(one(r)); }
};

template <class Op, class Body>
double fold_line(const Body& b, const Level& level, Index which) {
  constexpr Index size = 512;
  alignas(64) Real terms[size];
  const Extent e = level.extent(which);
  double all = 0;
  for (Index begin = e.begin; begin < e.end;) {
    const Index end = std::min(e.end, (begin / size + 1) * size);
    walk(level, which, begin, end,
         [&](const auto& l, const Cell& c) { terms[c.i - begin] = b(l, c); });
    Lanes<Real> lanes(Real(0));
    Index count = end - begin;
    for (; count % lane_count != 0; ++count) terms[count] = 0;
    for (Index i = 0; i < count; i += lane_count)
      lanes = Op::lanes(lanes, Lanes<Real>::load(terms + i));
    all = Op()(all, Op::fold(lanes));
    begin = end;
  }
  return all;
}

// As for_cells; bodies return terms, >= 0 for Largest. On the CPU the lines of a chunk are folded
// in their order, and then the chunks: whatever the threads.
template <class Op, class Body>
double fold_cells(const Exec& ex, const char* label, const Level& level, const Body& body) {
  if (!ex.cpu_shaped())
    return reduce(ex, label, level.cells(), 0.0, OneTerm<Body>{{level, body}}, Op());
  const Index lines = lines_per_chunk(level.n[0]);
  std::vector<double> chunks(std::size_t((level.lines() + lines - 1) / lines));
  parallel_chunks(ex, label, level.lines(), lines, [&](Index begin, Index end) {
    const Body b = body;
    double all = 0;
    for (Index which = begin; which < end; ++which) all = Op()(all, fold_line<Op>(b, level, which));
    chunks[std::size_t(begin / lines)] = all;
  });
  double all = 0;
  for (double c : chunks) all = Op()(all, c);
  return all;
}

}  // namespace rtsim::poisson
