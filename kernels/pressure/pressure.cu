#include "pressure/pressure.h"

#include "pressure/phases.h"
#include "sph/pair_cells.h"

namespace rtsim::pressure {

namespace {

template <class Pass>
void for_pairs(const Exec& ex, const char* label, const Pairs& p, const Pass& pass) {
  sph::for_pairs(ex, label, p.fluid, p.walls, p.lists, p.medium.kernel.support, pass);
}

struct Load {
  Span<const Real> k;
  Span<Row4> rows;
  RTSIM_HD void operator()(Index i) const { rows[i].w = k[i]; }
};

struct LetGo {
  Span<const Real> bears;
  Span<Real> k;
  RTSIM_HD void operator()(Index i) const {
    if (!(bears[i] > 0)) k[i] = max(k[i], Real(0));
  }
};

struct Relax {
  Target target;
  Relaxation to;
  RTSIM_HD void operator()(Index i) const { to(target, i); }
};

struct ResidualOfRow {
  Target target;
  RTSIM_HD Residual operator()(Index i) const {
    const Real r = target.residual(i);
    return {double(r > 0 ? r : -r), r > 0 ? r : Real(0),
            double(target.rows[i].w) * double(target.asked(i))};
  }
};

struct Speed2 {
  Span<const Row4> motion;
  RTSIM_HD Real operator()(Index i) const {
    const Row4 v = motion[i];
    return v.x * v.x + v.y * v.y + v.z * v.z;
  }
};

// What a sample's pull on rows adds up to.
struct PullPass {
  static constexpr int sums = 3;
  sph::Medium medium;
  Real own;
  RTSIM_HD int self(Index, const Row4&, const Row4&) const { return 0; }
  RTSIM_HD void wall(int, const sph::Separation<Real>& d, const Row4& q, const Row4&,
                     Real* s) const {
    const Real g = medium.gradient(d.r2);
    s[0] += (medium.wall_mass * q.w + own) * (g < 0 ? -g : g) * root(d.r2);
  }
};

struct AddMobility {
  sph::Medium medium;
  CellRows fluid, walls;
  Span<const Real> mobility_bound;
  Span<Real> diagonal;
  RTSIM_HD void operator()(Index i) const {
    const Row4 p = fluid.rows[i];
    const Real at[3] = {p.x, p.y, p.z}, support = medium.kernel.support;
    Real sum = 0;
    for_runs(walls, at, at, support, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        const Row4 q = walls.rows[b];
        const auto d = sph::separation<Real>(p, q, fluid.grid.box);
        if (!(mobility_bound[b] > 0) || !(d.r2 < support * support)) continue;
        const Real g = medium.gradient(d.r2);
        sum += q.w * (g < 0 ? -g : g) * root(d.r2) * mobility_bound[b];
      }
    });
    if (sum > 0) diagonal[i] += medium.mass * medium.mass * medium.wall_mass * sum;
  }
};
// What predicts, made for rows of one phase or of several.
template <class Use>
void with_predict(const Pairs& p, const Body& body, const Use& use) {
  if (p.phases.mixed())
    use(PhasePredictPass{p.medium, p.phases, body, {}});
  else
    use(PredictPass{p.medium, body, {}});
}
}  // namespace

void rate(const Exec& ex, const Pairs& p, Span<Real> rate) {
  for_pairs(ex, "pressure.rate", p, RatePass{p.medium, rate});
}

void predicted_rate(const Exec& ex, const Pairs& p, Real dt, Span<const Real> density,
                    Span<Real> rate) {
  for_pairs(ex, "pressure.rate", p, PredictedRatePass{p.medium, dt, density, rate});
}

void push(const Exec& ex, const Pairs& p, Real dt, Span<Row4> motion) {
  if (p.phases.mixed())
    return for_pairs(ex, "pressure.push", p, PhasePushPass{{p.medium, dt, motion}, p.phases});
  for_pairs(ex, "pressure.push", p, PushPass{p.medium, dt, motion});
}

void push_diagonal(const Exec& ex, const Pairs& p, Real dt, Span<Real> diagonal,
                   Span<Row4> motion) {
  if (p.phases.mixed()) {
    for_pairs(ex, "pressure.diagonal", p, PhaseDiagonalPass{p.medium, p.phases, diagonal});
    if (dt > 0) push(ex, p, dt, motion);
    return;
  }
  for_pairs(ex, "pressure.diagonal", p, DiagonalPass{p.medium, dt, diagonal, motion});
}

void predict(const Exec& ex, const Pairs& p, const Body& body, Span<Row4> motion) {
  if (p.phases.mixed())
    return for_pairs(ex, "pressure.predict", p, PhasePredictPass{p.medium, p.phases, body, motion});
  for_pairs(ex, "pressure.predict", p, PredictPass{p.medium, body, motion});
}

void push_on_walls(const Exec& ex, const Pairs& p, Span<Row4> force) {
  const Real m = p.medium.mass;
  sph::add_wall_reaction(ex, "pressure.on_walls", p.fluid, p.walls, p.medium.kernel.support, m * m,
                         PushPass{p.medium, 0, {}}, force);
}

void predict_on_walls(const Exec& ex, const Pairs& p, const Body& body, Span<Row4> force) {
  with_predict(p, body, [&](const auto& pass) {
    sph::add_wall_reaction(ex, "pressure.on_walls", p.fluid, p.walls, p.medium.kernel.support,
                           -p.medium.mass, pass, force);
  });
}

void push_on_samples(const Exec& ex, const Pairs& p, Span<const Index> places, Span<Row4> push) {
  const Real m = p.medium.mass;
  sph::find_reaction(ex, "pressure.on_bodies", p.fluid, p.walls, places, p.medium.kernel.support,
                     m * m, PushPass{p.medium, 0, {}}, push);
}

void predict_on_samples(const Exec& ex, const Pairs& p, const Body& body, Span<const Index> places,
                        Span<Row4> push) {
  with_predict(p, body, [&](const auto& pass) {
    sph::find_reaction(ex, "pressure.on_bodies", p.fluid, p.walls, places, p.medium.kernel.support,
                       -p.medium.mass, pass, push);
  });
}

void pull_on_samples(const Exec& ex, const Pairs& p, bool own, Span<const Index> places,
                     Span<Row4> pull) {
  sph::find_reaction(ex, "pressure.yield", p.fluid, p.walls, places, p.medium.kernel.support, 1,
                     PullPass{p.medium, Real(own)}, pull);
}

void add_mobility(const Exec& ex, const Pairs& p, Span<const Real> mobility_bound,
                  Span<Real> diagonal) {
  parallel_for(ex, "pressure.yield", diagonal.size,
               AddMobility{p.medium, p.fluid.cells, p.walls.cells, mobility_bound, diagonal});
}

Real greatest_speed2(const Exec& ex, Span<const Row4> motion) {
  return reduce(ex, "pressure.speed", motion.size, Real(0), Speed2{motion}, Max{});
}

Residual residual(const Exec& ex, const Target& target) {
  if (ex.cpu_shaped()) return residual_of_rows(ex, target);
  return reduce(ex, "pressure.residual", target.rate.size, Residual{}, ResidualOfRow{target},
                WorseResidual{});
}

void relax(const Exec& ex, const Target& target, Real omega, Real momentum, Span<Real> k,
           Span<Real> last, Span<Row4> rows) {
  const Relaxation to{omega / (target.dt * target.dt), momentum, k, last, rows};
  if (ex.cpu_shaped()) return relax_rows(ex, target, to);
  parallel_for(ex, "pressure.relax", k.size, Relax{target, to});
}

void let_go(const Exec& ex, Span<const Real> bears, Span<Real> k) {
  parallel_for(ex, "pressure.let_go", k.size, LetGo{bears, k});
}

void load(const Exec& ex, Span<const Real> k, Span<Row4> rows) {
  parallel_for(ex, "pressure.load", k.size, Load{k, rows});
}

}  // namespace rtsim::pressure
