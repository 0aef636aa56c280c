#include <algorithm>

#include "exec/parallel.h"
#include "lanes/lanes.h"
#include "poisson/stencil.h"

namespace rtsim::poisson {

namespace {

// A kind is what a line has beyond its ends and which lines are beside it, where all its cells have
// the links of a level without solids. All lines of a level are periodic or none: no bit for that,
// so a line that wraps round and has a wall at the seam is of no kind.
template <class Source>
struct KindOf {
  Source source;
  UniformWeights uniform;
  Span<std::int8_t> kinds;

  RTSIM_HD void operator()(Index line) const {
    const Index ny = source.size(1);
    kinds[line] = std::int8_t(kind(source.size(0), line % ny, line / ny));
  }

 private:
  // Or a cell that a wall parts, which passes on what those beside it have.
  RTSIM_HD bool has_unknown(Index n, Index j, Index k) const {
    for (Index i = 0; i < n; ++i)
      if (source.split_axes({i, j, k}) || source(i, j, k).sum() > 0) return true;
    return false;
  }
  RTSIM_HD int kind(Index n, Index j, Index k) const {
    if (!has_unknown(n, j, k)) return empty_line;
    if (n < 3) return -1;
    Stencil inner = source(1, j, k);
    int bits = 0;
    for (int s = 2; s < 6; ++s) {
      if (inner.link[s] != 0 && inner.link[s] != uniform.link[s / 2]) return -1;
      if (inner.link[s] != 0) bits |= 1 << s;
    }
    if (inner.link[0] != uniform.link[0] || inner.link[1] != uniform.link[0] ||
        inner.dirichlet != 0)
      return -1;
    for (Index i = 2; i < n - 1; ++i)
      if (!same(source(i, j, k), inner)) return -1;
    for (int side = 0; side < 2; ++side) {
      const Stencil end = source(side ? n - 1 : 0, j, k);
      Stencil expected = inner;
      if (end.link[side] == 0) {
        if (source.wraps() && end.dirichlet == 0) return -1;
        expected.link[side] = 0;
      }
      if (end.dirichlet != 0) bits |= 1 << side, expected.dirichlet = uniform.dirichlet[side];
      if (side == 1)
        for (int s = 2; s < 6; ++s) expected.link[s] *= uniform.last[0];
      if (!same(end, expected)) return -1;
    }
    return bits;
  }
  RTSIM_HD static bool same(const Stencil& a, const Stencil& b) {
    for (int s = 0; s < 6; ++s)
      if (a.link[s] != b.link[s]) return false;
    return a.dirichlet == b.dirichlet;
  }
};

template <class Source>
struct FillRows {
  Source source;
  Level level;
  UniformWeights uniform;
  Real damping;
  bool transfers;
  Span<const Index> lines;
  Span<Real> rows;

  RTSIM_HD void operator()(Index r) const {
    const Index n = level.n[0], line = lines[r / n], i = r % n;
    const auto at = [&](int row) -> Real& {
      return rows.data[level.offset(line) + row * Offset(level.pitch) + i];
    };
    const Stencil s = source(i, line % level.n[1], line / level.n[1]);
    const Real sum = s.sum();
    for (int side = 0; side < 6; ++side) at(side) = s.link[side];
    at(dirichlet) = s.dirichlet;
    at(inverse) = sum > 0 ? 1 / (sum - (1 - damping) * s.dirichlet) : Real(0);
    if (!transfers) return;
    const Index cell[3] = {i, line % level.n[1], line / level.n[1]};
    const int split = source.split_axes(cell);
    for (int side = 0; side < 6; ++side) {
      const int axis = side / 2;
      const bool has_finer = source.has_finer(axis, side % 2, cell[axis]);
      Real from_own = 0, from_other = 0;
      if (has_finer && split >> axis & 1) {
        const Real open = source.open_beyond_split(cell, side);
        from_other = open > 0 ? open / whole(axis, cell) : Real(0);
      } else if (has_finer) {
        const Real open = s.link[side] > 0 ? s.link[side] / whole(axis, cell) : Real(0);
        from_other = Real(0.25) * open;
        from_own = 1 - Real(0.25) * falls(s, axis, open);
      }
      at(own + side) = from_own, at(other + side) = from_other;
    }
  }

 private:
  // Of an open face of this cell.
  RTSIM_HD Real whole(int axis, const Index (&cell)[3]) const {
    Real w = uniform.link[axis];
    for (int a = 0; a < 3; ++a)
      if (a != axis && cell[a] == level.n[a] - 1) w *= uniform.last[a];
    return w;
  }
  // Beyond a face that is open by so much interpolated values change, to the neighbour's or to
  // p = 0; behind a closed one they are level. A neighbour behind a small opening must count little
  // in the same measure as its weight, or it has to answer for residuals that it cannot change.
  RTSIM_HD Real falls(const Stencil& s, int axis, Real open) const {
    return source.refines(axis) && s.dirichlet > 0 ? Real(1) : open;
  }
};

struct FindSplit {
  FromFiner source;
  Span<std::uint8_t> split;

  RTSIM_HD void operator()(Index r) const {
    const Index* n = source.c.coarse.n;
    split[r] = source.find_split(r % n[0], r / n[0] % n[1], r / n[0] / n[1]);
  }
};

bool same_weights(const Line& l, Index a, Index b) {
  for (int row = finest_rows - 1; row >= 0; --row)
    if (l.row(row)[a] != l.row(row)[b]) return false;
  return true;
}

Extent extent_of(const Level& level, Index line) {
  const Index n = level.n[0], lanes = lane_count;
  if (level.empty(line)) return {};
  if (level.periodic[0]) return {0, n};
  const Line l = level.line(line);
  const Real* const has = l.row(inverse);
  Extent e{0, n};
  while (e.begin < e.end && !(has[e.begin] > 0)) ++e.begin;
  while (e.begin < e.end && !(has[e.end - 1] > 0)) --e.end;
  if (e.begin == e.end) return {};
  for (Index i = e.begin, from = i; i < e.end; ++i) {
    if (i > from && !same_weights(l, i, i - 1)) from = i;
    const Index begin = (from + lanes - 1) / lanes * lanes, end = (i + 1) / lanes * lanes;
    if (end - begin > e.middle_end - e.middle_begin) e.middle_begin = begin, e.middle_end = end;
  }
  e.begin = e.begin / lanes * lanes;
  e.end = std::min(n, (e.end + lanes - 1) / lanes * lanes);
  return e;
}

}  // namespace

void find_extents(const Exec& ex, const Level& level, Span<const Index> lines,
                  Span<Extent> extents) {
  if (!ex.cpu_shaped()) return;
  parallel_chunks(ex, "poisson.prepare", lines.size, 16, [&](Index begin, Index end) {
    for (Index q = begin; q < end; ++q) extents[q] = extent_of(level, lines[q]);
  });
}

void find_split_cells(const Exec& ex, const Level& finer, const Level& coarse,
                      Span<std::uint8_t> split) {
  parallel_for(ex, "poisson.prepare", split.size, FindSplit{{{finer, coarse, split.data}}, split});
}

UniformWeights coarser(const UniformWeights& finer, const Level& from, const Level& to) {
  UniformWeights c;
  const auto merged = [&](int axis) { return from.n[axis] > 1 ? 2 : 1; };
  for (int a = 0; a < 3; ++a) {
    const int faces = merged((a + 1) % 3) * merged((a + 2) % 3);
    if (from.n[a] > 1) c.last[a] = ((from.n[a] % 2 ? 0 : 1) + finer.last[a]) / 2;
    if (to.n[a] > 1) c.link[a] = Real(0.5) * Real(faces) * finer.link[a];
  }
  // Added one by one, as FromFiner does, to the same last bit.
  for (int side = 0; side < 2; ++side) {
    c.dirichlet[side] = 0;
    for (int f = 0; f < merged(1) * merged(2); ++f)
      c.dirichlet[side] += dirichlet_scale(side == 1 && from.n[0] % 2 == 1) * finer.dirichlet[side];
  }
  return c;
}

void kinds_of_lines(const Exec& ex, const Faces& faces, const UniformWeights& uniform,
                    Span<std::int8_t> kinds) {
  parallel_for(ex, "poisson.prepare", kinds.size, KindOf<FromFaces>{{faces}, uniform, kinds});
}
void kinds_of_lines(const Exec& ex, const Coarsening& c, const UniformWeights& uniform,
                    Span<std::int8_t> kinds) {
  parallel_for(ex, "poisson.prepare", kinds.size, KindOf<FromFiner>{{c}, uniform, kinds});
}

void fill_rows(const Exec& ex, const Faces& faces, const Level& level, Real damping,
               Span<const Index> lines, Span<Real> rows) {
  parallel_for(ex, "poisson.prepare", lines.size * level.n[0],
               FillRows<FromFaces>{{faces}, level, {}, damping, false, lines, rows});
}
void fill_rows(const Exec& ex, const Coarsening& c, const UniformWeights& uniform, Real damping,
               Span<const Index> lines, Span<Real> rows) {
  parallel_for(ex, "poisson.prepare", lines.size * c.coarse.n[0],
               FillRows<FromFiner>{{c}, c.coarse, uniform, damping, true, lines, rows});
}

}  // namespace rtsim::poisson
