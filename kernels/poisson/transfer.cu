#include "poisson/lines.h"
#include "poisson/poisson.h"

// A coarse cell c has the finer cells 2 c and 2 c + 1 along an axis. Their values are
//   own_low p_c + other_low p_(c-1) and own_high p_c + other_high p_(c+1);
// restriction is the transpose. Factors of finer cells that are not there are 0.
namespace rtsim::poisson {

namespace {

RTSIM_HD constexpr int low(int first, int axis) { return first + 2 * axis; }
RTSIM_HD constexpr int high(int first, int axis) { return first + 2 * axis + 1; }

// The cells before and after c along an axis, or c itself, whose factors are 0 there.
struct Beside {
  Index before, after;
  RTSIM_HD Beside(const Level& level, int axis, Index c) : before(c), after(c) {
    const Index n = level.n[axis];
    if (c > 0 || level.periodic[axis]) before = c > 0 ? c - 1 : n - 1;
    if (c < n - 1 || level.periodic[axis]) after = c < n - 1 ? c + 1 : 0;
  }
};

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

struct Loaded {
  const Real* r;
  RTSIM_HD Real operator()(Index i) const { return r[i]; }
};

// On the CPU: the residuals of a line at a time, in r.
void restrict_line(const RestrictResidual& k, Index which, Real* r) {
  const Index n = k.finer.n[0], nc = k.coarse.n[0];
  const Line l = k.finer.line(which);
  const auto residual = [&](const Cell& c) { r[c.i] = k.b[c.at] - apply(l, c, k.x); };
  residual(any_cell(l, n, 0));
  RTSIM_INDEPENDENT
  for (Index i = 1; i < n - 1; ++i) residual(inner_cell(l, i));
  if (n > 1) residual(any_cell(l, n, n - 1));
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

// out_i = sum of factors_i in_i of a few lines.
template <int count>
struct Blend {
  const Real *factor[count], *in[count];
  RTSIM_HD Real operator()(Index i) const {
    const Real a = factor[0][i] * in[0][i] + factor[1][i] * in[1][i];
    if constexpr (count == 2)
      return a;
    else
      return a + (factor[2][i] * in[2][i] + factor[3][i] * in[3][i]);
  }
};

// Along y or z. Lines of arrays between the levels: (j, k), where k is as fine as the finer level's
// for axis 1, and j as coarse as the coarser one's for axis 2.
struct AxisLines {
  int axis;
  Level finer, coarse;
  const Real* in;
  Real* out;

  RTSIM_HD Index other_n() const { return axis == 1 ? finer.n[2] : coarse.n[1]; }
  // Where line `at` along the axis is in an array with n such lines; the other index is `v`.
  RTSIM_HD Index first(Index n, Index at, Index v) const {
    return coarse.n[0] * (axis == 1 ? at + n * v : v + other_n() * at);
  }
  RTSIM_HD Line coarse_line(Index c, Index v) const {
    return axis == 1 ? coarse.line(c, v / 2) : coarse.line(v, c);
  }
};

struct RestrictAxis : AxisLines {
  RTSIM_HD Index lines() const { return coarse.n[axis] * other_n(); }

  RTSIM_HD Blend<4> terms(Index c, Index v) const {
    const Index n = finer.n[axis];
    const Beside beside(coarse, axis, c);
    const auto child = [&](Index i) { return in + first(n, i < n ? i : n - 1, v); };
    const Line l = coarse_line(c, v), before = coarse_line(beside.before, v),
               after = coarse_line(beside.after, v);
    // At an end without a neighbour, the factor of the side beyond it: 0.
    const int from_after = beside.after != c ? low(other, axis) : high(other, axis);
    const int from_before = beside.before != c ? high(other, axis) : low(other, axis);
    return {
        {l.row(low(own, axis)), l.row(high(own, axis)), after.row(from_after),
         before.row(from_before)},
        {child(2 * c), child(2 * c + 1), child(2 * beside.after), child(2 * beside.before + 1)}};
  }
  RTSIM_HD Index target(Index c, Index v) const { return first(coarse.n[axis], c, v); }
  RTSIM_HD Index along() const { return coarse.n[axis]; }
};

struct ProlongAxis : AxisLines {
  RTSIM_HD Index lines() const { return finer.n[axis] * other_n(); }

  RTSIM_HD Blend<2> terms(Index i, Index v) const {
    const Index n = coarse.n[axis], c = i / 2;
    const bool upper = i % 2;
    const Beside beside(coarse, axis, c);
    const Line l = coarse_line(c, v);
    const int side = 2 * axis + upper;
    return {{l.row(own + side), l.row(other + side)},
            {in + first(n, c, v), in + first(n, upper ? beside.after : beside.before, v)}};
  }
  RTSIM_HD Index target(Index i, Index v) const { return first(finer.n[axis], i, v); }
  RTSIM_HD Index along() const { return finer.n[axis]; }
};

template <class Body>
struct OneBlend {
  Body body;
  RTSIM_HD void operator()(Index r) const {
    const Index nx = body.coarse.n[0], i = r % nx, line = r / nx;
    const Index at = line % body.along(), v = line / body.along();
    body.out[body.target(at, v) + i] = body.terms(at, v)(i);
  }
};

template <class Body>
void blend_lines(const Exec& ex, const Body& body) {
  const Index nx = body.coarse.n[0];
  if (!ex.cpu_shaped())
    return parallel_for(ex, "poisson.transfer", nx * body.lines(), OneBlend<Body>{body});
  parallel_chunks(ex, "poisson.transfer", body.lines(), lines_per_chunk(nx),
                  [&](Index begin, Index end) {
                    for (Index line = begin; line < end; ++line) {
                      const Index at = line % body.along(), v = line / body.along();
                      const auto blend = body.terms(at, v);
                      Real* const out = body.out + body.target(at, v);
                      RTSIM_INDEPENDENT
                      for (Index i = 0; i < nx; ++i) out[i] = blend(i);
                    }
                  });
}

struct AddProlonged {
  Level finer, coarse;
  const Real* in;
  Real* x;

  RTSIM_HD void operator()(Index row) const {
    const Index n = finer.n[0], i = row % n, which = row / n;
    const Line l = coarse.line(which % finer.n[1] / 2, which / finer.n[1] / 2);
    add(l, in + which * coarse.n[0], i, x[row]);
  }
  RTSIM_HD void add(const Line& l, const Real* p, Index i, Real& to) const {
    const Index c = i / 2;
    const Beside beside(coarse, 0, c);
    const int side = i % 2;
    to += l.row(own + side)[c] * p[c] +
          l.row(other + side)[c] * p[side ? beside.after : beside.before];
  }
  void line(Index which) const {
    const Index n = finer.n[0], nc = coarse.n[0];
    const Line l = coarse.line(which % finer.n[1] / 2, which / finer.n[1] / 2);
    const Real *own_low = l.row(low(own, 0)), *own_high = l.row(high(own, 0));
    const Real *other_low = l.row(low(other, 0)), *other_high = l.row(high(other, 0));
    const Real* p = in + which * nc;
    Real* const to = x + which * n;
    const Index ends = n < 4 ? n : 2, last = nc - 1;
    for (Index i = 0; i < ends; ++i) add(l, p, i, to[i]);
    if (n < 4) return;
    RTSIM_INDEPENDENT
    for (Index c = 1; c < last; ++c) {
      const Real a = own_low[c] * p[c] + other_low[c] * p[c - 1];
      const Real b = own_high[c] * p[c] + other_high[c] * p[c + 1];
      to[2 * c] += a;
      to[2 * c + 1] += b;
    }
    for (Index i = 2 * last; i < n; ++i) add(l, p, i, to[i]);
  }
};

}  // namespace

void restrict_residual(const Exec& ex, const Level& finer, const Level& coarse, Span<const Real> b,
                       Span<const Real> x, Span<Real> out) {
  const RestrictResidual kernel{finer, coarse, b.data, x.data, out.data};
  if (!ex.cpu_shaped())
    return parallel_for(ex, "poisson.transfer", coarse.n[0] * finer.lines(), kernel);
  parallel_chunks(ex, "poisson.transfer", finer.lines(), lines_per_chunk(finer.n[0]),
                  [&](Index begin, Index end) {
                    std::vector<Real> r(std::size_t(finer.n[0]));
                    for (Index line = begin; line < end; ++line)
                      restrict_line(kernel, line, r.data());
                  });
}

void restrict_axis(const Exec& ex, int axis, const Level& finer, const Level& coarse,
                   Span<const Real> in, Span<Real> out) {
  blend_lines(ex, RestrictAxis{{axis, finer, coarse, in.data, out.data}});
}

void prolong_axis(const Exec& ex, int axis, const Level& finer, const Level& coarse,
                  Span<const Real> in, Span<Real> out) {
  blend_lines(ex, ProlongAxis{{axis, finer, coarse, in.data, out.data}});
}

void add_prolonged(const Exec& ex, const Level& finer, const Level& coarse, Span<const Real> in,
                   Span<Real> x) {
  const AddProlonged kernel{finer, coarse, in.data, x.data};
  if (!ex.cpu_shaped()) return parallel_for(ex, "poisson.transfer", finer.cells(), kernel);
  parallel_chunks(ex, "poisson.transfer", finer.lines(), lines_per_chunk(finer.n[0]),
                  [&](Index begin, Index end) {
                    for (Index line = begin; line < end; ++line) kernel.line(line);
                  });
}

}  // namespace rtsim::poisson
