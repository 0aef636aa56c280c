#include "poisson/transfer.h"

namespace rtsim::poisson {

namespace {

// x += p, interpolated
struct Prolongate {
  Level finer, coarse;
  const Real* p;
  Real* x;

  // Along z, for a line of coarse cells at the height of finer ones.
  RTSIM_HD Blend<2> along_z(Index j, Index k) const {
    const int side = low(0, 2) + k % 2;
    const Beside beside(coarse, 2, k / 2);
    const Line l = coarse.line(j, k / 2),
               next = coarse.line(j, k % 2 ? beside.after : beside.before);
    return {{l.row(own + side), l.row(other + side)}, {p + l.first, p + next.first}};
  }
  // Along y, between two such lines.
  RTSIM_HD Index beside_y(Index j) const {
    const Beside beside(coarse, 1, j / 2);
    return j % 2 ? beside.after : beside.before;
  }
  RTSIM_HD Blend<2> along_y(Index j, Index k, const Real* line, const Real* next) const {
    const int side = low(0, 1) + j % 2;
    const Line l = coarse.line(j / 2, k / 2);
    return {{l.row(own + side), l.row(other + side)}, {line, next}};
  }
  // Along x, to cell i of a line; `values` are those of the coarse line along it.
  template <class Values>
  RTSIM_HD Real along_x(const Line& l, Index i, const Values& values) const {
    const Index c = i / 2;
    const Beside beside(coarse, 0, c);
    const int side = i % 2;
    return l.row(own + side)[c] * values(c) +
           l.row(other + side)[c] * values(side ? beside.after : beside.before);
  }

  RTSIM_HD void operator()(Index row) const {
    const Index which = row / finer.n[0], j = which % finer.n[1], k = which / finer.n[1];
    const Blend<2> here = along_z(j / 2, k), there = along_z(beside_y(j), k);
    const Blend<2> between = along_y(j, k, nullptr, nullptr);
    x[row] += along_x(coarse.line(j / 2, k / 2), row % finer.n[0], [&](Index c) {
      return between.factor[0][c] * here(c) + between.factor[1][c] * there(c);
    });
  }

  // On the CPU, with space for three lines of coarse cells.
  void line(Index which, Real* space) const {
    const Extent e = finer.extent(which);
    if (e.begin == e.end) return;
    const Index n = finer.n[0], nc = coarse.n[0], j = which % finer.n[1], k = which / finer.n[1];
    // Coarse cells that hold cells of the extent, and what lies beside them.
    const Index begin = e.begin / 2, end = halves(e.end);
    const bool wraps = coarse.periodic[0];
    const Index from = wraps || begin == 0 ? 0 : begin - 1,
                past = wraps || end == nc ? nc : end + 1;
    along_z(j / 2, k).line(from, past, space);
    along_z(beside_y(j), k).line(from, past, space + nc);
    const Real* const v = space + 2 * nc;
    along_y(j, k, space, space + nc).line(from, past, space + 2 * nc);
    const Line l = coarse.line(j / 2, k / 2);
    Real* const to = x + which * n;
    if (begin == 0) add_cell(l, 0, v, to);
    if (end == nc && nc > 1) add_cell(l, nc - 1, v, to);
    const Real *own_low = l.row(low(own, 0)), *own_high = l.row(high(own, 0));
    const Real *other_low = l.row(low(other, 0)), *other_high = l.row(high(other, 0));
    RTSIM_INDEPENDENT
    for (Index c = std::max(begin, Index(1)); c < std::min(end, nc - 1); ++c) {
      const Real a = own_low[c] * v[c] + other_low[c] * v[c - 1];
      const Real b = own_high[c] * v[c] + other_high[c] * v[c + 1];
      to[2 * c] += a;
      to[2 * c + 1] += b;
    }
  }

 private:
  static Index halves(Index n) { return (n + 1) / 2; }
  // The cells of the first or the last coarse one.
  void add_cell(const Line& l, Index c, const Real* v, Real* to) const {
    for (Index i = 2 * c; i < std::min(2 * c + 2, finer.n[0]); ++i)
      to[i] += along_x(l, i, Loaded{v});
  }
};

}  // namespace

void prolongate(const Exec& ex, const Level& finer, const Level& coarse, Span<const Real> p,
                Span<Real> x) {
  const Prolongate kernel{finer, coarse, p.data, x.data};
  if (!ex.cpu_shaped()) return parallel_for(ex, "poisson.prolong", finer.cells(), kernel);
  parallel_chunks(ex, "poisson.prolong", finer.lines(), lines_per_chunk(finer.n[0]),
                  [&](Index begin, Index end) {
                    std::vector<Real> space(3 * std::size_t(coarse.n[0]));
                    for (Index line = begin; line < end; ++line) kernel.line(line, space.data());
                  });
}

}  // namespace rtsim::poisson
