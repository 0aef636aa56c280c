#include "verlet/verlet.h"

#include "exec/parallel.h"
#include "verlet/stick.h"

namespace rtsim::verlet {

namespace {

struct MovePoint {
  Move m;
  Points p;
  Span<Vec<3>> before, predicted;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> x = p.position[i];
    before[i] = x;
    if (p.inverse_mass[i] > 0) {
      const Vec<3> d = p.displacement[i], fall = m.h * m.h * m.gravity;
      const Vec<3> pushed = m.h * (p.velocity[i] - Real(1) / m.h * d);
      const Vec<3> step =
          m.first ? m.h * p.velocity[i] + Real(0.5) * fall : m.kept * (d + pushed) + fall;
      p.displacement[i] = step;
      p.position[i] = x + step;
    } else {
      p.displacement[i] = Real(1) / m.left * (p.target[i] - x);
      p.position[i] = m.left > 1 ? x + p.displacement[i] : p.target[i];
    }
    p.velocity[i] = Real(1) / m.h * p.displacement[i];
    predicted[i] = p.position[i];
  }
};

struct SpeedOfPoint {
  Real h;
  Points p;
  Span<const Vec<3>> predicted;
  RTSIM_HD void operator()(Index i) const {
    p.velocity[i] = Real(1) / h * (p.displacement[i] + (p.position[i] - predicted[i]));
  }
};

struct ExcusePoint {
  Real h;
  Points p;
  Span<const Vec<3>> position, velocity;  // before
  Span<Vec<3>> predicted;
  RTSIM_HD void operator()(Index i) const {
    const Vec<3> moved = p.position[i] - position[i];
    predicted[i] = predicted[i] + (moved - h * (p.velocity[i] - velocity[i]));
  }
};

struct SettlePoint {
  Real h;
  Points p;
  Span<const Vec<3>> predicted;
  RTSIM_HD void operator()(Index i) const {
    p.displacement[i] = p.displacement[i] + (p.position[i] - predicted[i]);
    p.velocity[i] = Real(1) / h * p.displacement[i];
  }
};

// x1 += w1 s d / (w1 + w2), x2 -= w2 s d / (w1 + w2) with s the share of d that is too much.
struct RelaxStick {
  Sticks sticks;
  Index begin;
  Real share;
  bool without_root;
  Span<const Real> w;
  Span<Vec<3>> x;
  Span<Row4> push;
  RTSIM_HD void operator()(Index i) const {
    const Index s = begin + i, a = sticks.a[s], b = sticks.b[s];
    const Real sum = w[a] + w[b];
    if (!(sum > 0)) return;
    const Vec<3> d = x[b] - x[a];
    const Real r = sticks.length[s];
    const Real excess = without_root ? stretch_without_root(d, r) : stretch(d, r);
    if (allows(sticks.kind[s], excess)) return;
    const Vec<3> correction = (share * excess / sum) * d;
    x[a] = x[a] + w[a] * correction;
    x[b] = x[b] - w[b] * correction;
    if (push.size > 0) add(a, 1, correction), add(b, -1, correction);
  }
  RTSIM_HD void add(Index held, Real sign, const Vec<3>& c) const {
    if (w[held] > 0) return;
    Row4& r = push[held];
    r.x += sign * c[0], r.y += sign * c[1], r.z += sign * c[2];
  }
};

struct ErrorOf {
  Sticks sticks;
  Span<const Vec<3>> x;
  RTSIM_HD double operator()(Index s) const {
    const Vec<3> d = x[sticks.b[s]] - x[sticks.a[s]];
    const double e = double(norm(d)) / double(sticks.length[s]) - 1;
    if (allows(sticks.kind[s], Real(e))) return 0;
    return e < 0 ? -e : e;
  }
};

}  // namespace

void move(const Exec& ex, const Move& m, const Points& p, Span<Vec<3>> before,
          Span<Vec<3>> predicted) {
  parallel_for(ex, "verlet.move", p.position.size, MovePoint{m, p, before, predicted});
}

void find_speeds(const Exec& ex, Real h, const Points& p, Span<const Vec<3>> predicted) {
  parallel_for(ex, "verlet.speeds", p.position.size, SpeedOfPoint{h, p, predicted});
}

void excuse(const Exec& ex, Real h, const Points& p, Span<const Vec<3>> position_before,
            Span<const Vec<3>> velocity_before, Span<Vec<3>> predicted) {
  parallel_for(ex, "verlet.excuse", p.position.size,
               ExcusePoint{h, p, position_before, velocity_before, predicted});
}

void settle(const Exec& ex, Real h, const Points& p, Span<const Vec<3>> predicted) {
  parallel_for(ex, "verlet.settle", p.position.size, SettlePoint{h, p, predicted});
}

void relax(const Exec& ex, const Sticks& sticks, Index begin, Index end, Real share,
           bool without_root, Span<const Real> inverse_mass, Span<Vec<3>> position,
           Span<Row4> push) {
  parallel_for(ex, "verlet.relax", end - begin,
               RelaxStick{sticks, begin, share, without_root, inverse_mass, position, push});
}

double worst(const Exec& ex, const Sticks& sticks, Span<const Vec<3>> position) {
  return reduce(ex, "verlet.worst", sticks.a.size, 0.0, ErrorOf{sticks, position}, Max{});
}

}  // namespace rtsim::verlet
