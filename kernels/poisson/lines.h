#pragma once
#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "poisson/level.h"

#if defined(__GNUC__) && !defined(__CUDACC__)
#define RTSIM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define RTSIM_INDEPENDENT
#endif

// Loops over the cells of a level: by lines on the CPU, whose cells the compiler takes eight at a
// time, or a cell a thread. A body has operator()(line, cell).
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

template <class Body>
void for_cells(const Exec& ex, const char* label, const Level& level, const Body& body) {
  if (!ex.cpu_shaped()) return parallel_for(ex, label, level.cells(), OneCell<Body>{level, body});
  const Index n = level.n[0];
  parallel_chunks(ex, label, level.lines(), lines_per_chunk(n), [&](Index begin, Index end) {
    const Body b = body;
    for (Index which = begin; which < end; ++which) {
      const Line l = level.line(which);
      b(l, any_cell(l, n, 0));
      RTSIM_INDEPENDENT
      for (Index i = 1; i < n - 1; ++i) b(l, inner_cell(l, i));
      if (n > 1) b(l, any_cell(l, n, n - 1));
    }
  });
}

// What a pass over the cells sums, in double, and the largest of what it meets.
struct Terms {
  Real first = 0, second = 0, largest = 0;
};
struct Sums {
  double first = 0, second = 0, largest = 0;

  RTSIM_HD Sums operator+(const Sums& o) const {
    return {first + o.first, second + o.second, largest < o.largest ? o.largest : largest};
  }
};

template <class Body>
struct OneCellSums {
  OneCell<Body> one;

  RTSIM_HD Sums operator()(Index r) const {
    const Terms t = one(r);
    return {double(t.first), double(t.second), double(t.largest)};
  }
};

// The terms of some cells of a line, and their sum: in lanes of Real, and these in double.
struct TermBlock {
  static constexpr Index size = 512;
  alignas(64) Real first[size], second[size], largest[size];

  void set(Index i, const Terms& t) {
    first[i] = t.first, second[i] = t.second, largest[i] = t.largest;
  }
  Sums fold(Index count) {
    const Index end = (count + lane_count - 1) / lane_count * lane_count;
    for (Index i = count; i < end; ++i) set(i, {});
    using L = Lanes<Real>;
    L a(Real(0)), b(Real(0)), m(Real(0));
    for (Index i = 0; i < end; i += lane_count) {
      a = a + L::load(first + i), b = b + L::load(second + i);
      m = max(m, L::load(largest + i));
    }
    Real top[lane_count];
    m.store(top);
    Sums s{double(a.sum()), double(b.sum()), 0};
    for (Real t : top) s.largest = s.largest < double(t) ? double(t) : s.largest;
    return s;
  }
};

template <class Body>
Sums sum_line(const Body& b, const Line& l, Index n) {
  TermBlock block;
  Sums sums;
  for (Index begin = 0; begin < n; begin += TermBlock::size) {
    const Index end = n - begin < TermBlock::size ? n : begin + TermBlock::size;
    if (begin == 0) block.set(0, b(l, any_cell(l, n, 0)));
    const Index first = begin > 0 ? begin : 1, last = end < n ? end : n - 1;
    RTSIM_INDEPENDENT
    for (Index i = first; i < last; ++i) block.set(i - begin, b(l, inner_cell(l, i)));
    if (end == n && n > 1) block.set(n - 1 - begin, b(l, any_cell(l, n, n - 1)));
    sums = sums + block.fold(end - begin);
  }
  return sums;
}

// As for_cells; bodies return Terms. On the CPU the lines of a chunk are added in their order, and
// then the chunks: whatever the threads.
template <class Body>
Sums sum_cells(const Exec& ex, const char* label, const Level& level, const Body& body) {
  if (!ex.cpu_shaped())
    return reduce(ex, label, level.cells(), Sums{}, OneCellSums<Body>{{level, body}}, Plus{});
  const Index n = level.n[0], lines = lines_per_chunk(n);
  std::vector<Sums> chunks(std::size_t((level.lines() + lines - 1) / lines));
  parallel_chunks(ex, label, level.lines(), lines, [&](Index begin, Index end) {
    const Body b = body;
    Sums sums;
    for (Index which = begin; which < end; ++which) sums = sums + sum_line(b, level.line(which), n);
    chunks[std::size_t(begin / lines)] = sums;
  });
  Sums all;
  for (const Sums& s : chunks) all = all + s;
  return all;
}

}  // namespace rtsim::poisson
