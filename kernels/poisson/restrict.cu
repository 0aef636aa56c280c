#include <algorithm>

#include "poisson/transfer.h"

namespace rtsim::poisson {

namespace {

// From the residuals r(i) of a line of finer cells to coarse cell c.
template <class Residual>
RTSIM_HD Real restrict_cell(const Level& coarse, Index finer_n, const Line& l, Index c,
                            const Residual& r) {
  const Beside beside(coarse, 0, c);
  const auto factor = [&](int row, Index at) { return l.row(row)[at]; };
  const auto child = [&](Index i) { return i < finer_n ? r(i) : Real(0); };
  Real near = factor(low(own, 0), c) * r(2 * c) + factor(high(own, 0), c) * child(2 * c + 1);
  Real far = 0;
  if (beside.after != c) far += factor(low(other, 0), beside.after) * r(2 * beside.after);
  if (beside.before != c)
    far += factor(high(other, 0), beside.before) * child(2 * beside.before + 1);
  return near + far;
}

// On a device: residuals where they are needed, each twice.
struct RestrictResidual {
  Level finer, coarse;
  const Real *b, *x;
  Real* out;

  RTSIM_HD void operator()(Index row) const {
    const Index c = row % coarse.n[0], which = row / coarse.n[0];
    const Line l = finer.line(which);
    const Line to = coarse.line(which % finer.n[1] / 2, which / finer.n[1] / 2);
    out[row] = restrict_cell(coarse, finer.n[0], to, c, [&](Index i) {
      const Cell cell = any_cell(l, finer.n[0], i);
      return b[cell.at] - apply(l, cell, x);
    });
  }
};

// On the CPU: the residuals of a line at a time, in r.
void restrict_line(const RestrictResidual& k, Index which, Real* r) {
  const Index n = k.finer.n[0], nc = k.coarse.n[0];
  const Extent e = k.finer.extent(which);
  if (e.begin == e.end) {
    std::fill(k.out + which * nc, k.out + (which + 1) * nc, Real(0));
    return;
  }
  std::fill(r, r + e.begin, Real(0)), std::fill(r + e.end, r + n, Real(0));
  walk(k.finer, which, e.begin, e.end,
       [&](const auto& l, const Cell& c) { r[c.i] = k.b[c.at] - apply(l, c, k.x); });
  const Line to = k.coarse.line(which % k.finer.n[1] / 2, which / k.finer.n[1] / 2);
  const Real *own_low = to.row(low(own, 0)), *own_high = to.row(high(own, 0));
  const Real *other_low = to.row(low(other, 0)), *other_high = to.row(high(other, 0));
  Real* const out = k.out + which * nc;
  const Loaded at{r};
  out[0] = restrict_cell(k.coarse, n, to, 0, at);
  RTSIM_INDEPENDENT
  for (Index c = 1; c < nc - 1; ++c)
    out[c] = (own_low[c] * r[2 * c] + own_high[c] * r[2 * c + 1]) +
             (other_low[c + 1] * r[2 * c + 2] + other_high[c - 1] * r[2 * c - 1]);
  if (nc > 1) out[nc - 1] = restrict_cell(k.coarse, n, to, nc - 1, at);
}

// Along y and z, from lines that are restricted along x.
struct RestrictAcross {
  Level finer, coarse;
  const Real* in;
  Real damping;
  Real *b, *x;

  // What each factor of a coarse cell along an axis is for: its own two finer cells, the first of
  // the next and the last of the one before.
  struct Terms {
    Index fine[4];    // cells along the axis
    Index coarse[4];  // whose factor
    int row[4];
  };
  RTSIM_HD Terms terms(int axis, Index c) const {
    const Index last = finer.n[axis] - 1;
    const Beside beside(coarse, axis, c);
    const auto child = [&](Index i) { return i < last ? i : last; };
    // At an end without a neighbour, the factor of the side beyond it: 0.
    return {
        {2 * c, child(2 * c + 1), 2 * beside.after, child(2 * beside.before + 1)},
        {c, c, beside.after, beside.before},
        {low(own, axis), high(own, axis), beside.after != c ? low(other, axis) : high(other, axis),
         beside.before != c ? high(other, axis) : low(other, axis)}};
  }
  RTSIM_HD Blend<4> along_y(Index j, Index k) const {
    const Terms t = terms(1, j);
    Blend<4> blend;
    for (int m = 0; m < 4; ++m) {
      blend.factor[m] = coarse.line(t.coarse[m], k / 2).row(t.row[m]);
      blend.in[m] = in + coarse.n[0] * (t.fine[m] + finer.n[1] * k);
    }
    return blend;
  }
  RTSIM_HD void finish(const Line& l, Index i, Real value) const {
    b[l.first + i] = value;
    x[l.first + i] = damping * l.row(inverse)[i] * value;
  }

  RTSIM_HD void operator()(Index row) const {
    const Index i = row % coarse.n[0], which = row / coarse.n[0];
    const Index j = which % coarse.n[1], k = which / coarse.n[1];
    const Terms t = terms(2, k);
    Real v[4];
    for (int m = 0; m < 4; ++m)
      v[m] = coarse.line(j, t.coarse[m]).row(t.row[m])[i] * along_y(j, t.fine[m])(i);
    finish(coarse.line(which), i, (v[0] + v[1]) + (v[2] + v[3]));
  }
  // On the CPU, with space for four lines.
  void line(Index which, Real* space) const {
    const Index n = coarse.n[0], j = which % coarse.n[1], k = which / coarse.n[1];
    const Extent e = coarse.extent(which);
    for (Real* of : {b + which * n, x + which * n})
      std::fill(of, of + e.begin, Real(0)), std::fill(of + e.end, of + n, Real(0));
    if (e.begin == e.end) return;
    const Terms t = terms(2, k);
    Blend<4> along_z;
    for (int m = 0; m < 4; ++m) {
      along_y(j, t.fine[m]).line(e.begin, e.end, space + m * n);
      along_z.factor[m] = coarse.line(j, t.coarse[m]).row(t.row[m]);
      along_z.in[m] = space + m * n;
    }
    const Line l = coarse.line(which);
    const RestrictAcross kernel = *this;
    RTSIM_INDEPENDENT
    for (Index i = e.begin; i < e.end; ++i) kernel.finish(l, i, along_z(i));
  }
};

}  // namespace

void restrict_residual(const Exec& ex, const Level& finer, const Level& coarse, Span<const Real> b,
                       Span<const Real> x, Span<Real> out) {
  const RestrictResidual kernel{finer, coarse, b.data, x.data, out.data};
  if (!ex.cpu_shaped())
    return parallel_for(ex, "poisson.restrict", coarse.n[0] * finer.lines(), kernel);
  parallel_chunks(ex, "poisson.restrict", finer.lines(), lines_per_chunk(finer.n[0]),
                  [&](Index begin, Index end) {
                    std::vector<Real> r(std::size_t(finer.n[0]));
                    for (Index line = begin; line < end; ++line)
                      restrict_line(kernel, line, r.data());
                  });
}

void restrict_across(const Exec& ex, const Level& finer, const Level& coarse, Span<const Real> in,
                     Real damping, Span<Real> b, Span<Real> x) {
  const RestrictAcross kernel{finer, coarse, in.data, damping, b.data, x.data};
  if (!ex.cpu_shaped()) return parallel_for(ex, "poisson.restrict", coarse.cells(), kernel);
  const Index n = coarse.n[0];
  parallel_chunks(ex, "poisson.restrict", coarse.lines(), lines_per_chunk(4 * n),
                  [&](Index begin, Index end) {
                    std::vector<Real> space(4 * std::size_t(n));
                    for (Index line = begin; line < end; ++line) kernel.line(line, space.data());
                  });
}

}  // namespace rtsim::poisson
