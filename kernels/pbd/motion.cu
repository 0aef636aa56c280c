#include "pbd/motion.h"

#include "exec/parallel.h"

namespace rtsim::pbd {

namespace {

RTSIM_HD Vec<3> place(const Row4& r) { return {{r.x, r.y, r.z}}; }
RTSIM_HD Row4 row(const Vec<3>& x, Real w) { return {x[0], x[1], x[2], w}; }

RTSIM_HD void begin_substep(const Substep& s, const Points& p, Span<Row4> rows, Index i) {
  const Real w = p.inverse_mass[i];
  const Vec<3> x = p.position[i];
  if (w > 0) {
    const Vec<3> v = s.kept * p.velocity[i] + s.h * s.gravity;
    p.velocity[i] = v;
    rows[i] = row(x + s.h * v, w);
    return;
  }
  const Vec<3> way = Real(1) / s.left * (p.target[i] - x);
  p.velocity[i] = Real(1) / s.h * way;
  rows[i] = row(s.left == 1 ? p.target[i] : x + way, 0);
}

RTSIM_HD void end_substep(Real h, const Points& p, Span<const Row4> rows, Index i) {
  const Vec<3> x = place(rows[i]);
  if (p.inverse_mass[i] > 0) {
    const Vec<3> v = p.velocity[i], predicted = p.position[i] + h * v;
    p.velocity[i] = v + Real(1) / h * (x - predicted);
  }
  p.position[i] = x;
}

struct Predict {
  Substep s;
  Points p;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const { begin_substep(s, p, rows, i); }
};
struct Settle {
  Substep s;
  Points p;
  Span<const Row4> rows;
  RTSIM_HD void operator()(Index i) const { end_substep(s.h, p, rows, i); }
};
struct SettleAndPredict {
  Substep s;
  Points p;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const {
    end_substep(s.h, p, rows, i);
    begin_substep(s, p, rows, i);
  }
};

struct PullBack {
  Tethers t;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const {
    Vec<3> x = place(rows[i]);
    for (Index k = t.first[i], end = t.first[i + 1]; k < end; ++k) {
      const Vec<3> a = place(rows[t.held[k]]), d = x - a;
      const Real length = norm(d);
      if (length > t.length[k]) x = a + (t.length[k] / length) * d;
    }
    rows[i] = row(x, rows[i].w);
  }
};

}  // namespace

void predict(const Exec& ex, const Substep& s, const Points& p, Span<Row4> rows) {
  parallel_for(ex, "pbd.predict", rows.size, Predict{s, p, rows});
}

void settle(const Exec& ex, const Substep& s, const Points& p, Span<const Row4> rows) {
  parallel_for(ex, "pbd.settle", rows.size, Settle{s, p, rows});
}

void settle_and_predict(const Exec& ex, const Substep& next, const Points& p, Span<Row4> rows) {
  parallel_for(ex, "pbd.settle_and_predict", rows.size, SettleAndPredict{next, p, rows});
}

void pull_back(const Exec& ex, const Tethers& t, Span<Row4> rows) {
  parallel_for(ex, "pbd.pull_back", rows.size, PullBack{t, rows});
}

}  // namespace rtsim::pbd
