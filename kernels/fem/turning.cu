#include "fem/turning.h"

#include <cmath>

#include "exec/parallel.h"

namespace rtsim::fem {

namespace {

using mass_spring::Points;

RTSIM_HD PieceSums operator+(const PieceSums& a, const PieceSums& b) {
  return {a.mass + b.mass, a.x + b.x,           a.v + b.v,
          a.spin + b.spin, a.square + b.square, a.mixed + b.mixed};
}

struct SumRuns {
  Pieces pieces;
  Points p;
  Span<const Vec<3>> v;
  Span<PieceSums> to;
  RTSIM_HD void operator()(Index k) const {
    const Pieces::Run run = pieces.runs[k];
    const Vec<3> from = p.position[pieces.order[pieces.runs[pieces.first_run[run.piece]].begin]];
    PieceSums sum{};
    for (Index e = run.begin; e < run.end; ++e) {
      const Index i = pieces.order[e];
      const double m = double(p.mass[i]);
      const Vec3d x = widen(p.position[i] - from), u = widen(v[i]);
      sum = sum + PieceSums{m,
                            m * x,
                            m * u,
                            m * cross(x, u),
                            m * Vec3d{{x[0] * x[0], x[1] * x[1], x[2] * x[2]}},
                            m * Vec3d{{x[1] * x[2], x[2] * x[0], x[0] * x[1]}}};
    }
    to[k] = sum;
  }
};

// I w = L, with I = tr(S) - S of the second moments S about the centre; w = 0 where I has no
// inverse. The determinant is below its largest by the square of how thin the piece is.
RTSIM_HD Vec3d angular_velocity(const Vec3d& square, const Vec3d& mixed, const Vec3d& spin) {
  constexpr double thin = 1e-10;
  const Vec3d rows[3] = {{{square[1] + square[2], -mixed[2], -mixed[1]}},
                         {{-mixed[2], square[2] + square[0], -mixed[0]}},
                         {{-mixed[1], -mixed[0], square[0] + square[1]}}};
  const Vec3d a = cross(rows[1], rows[2]), b = cross(rows[2], rows[0]), c = cross(rows[0], rows[1]);
  const double determinant = dot(rows[0], a), size = square[0] + square[1] + square[2];
  if (!(determinant > thin * size * size * size)) return {};
  return (1 / determinant) * (spin[0] * a + spin[1] * b + spin[2] * c);
}

RTSIM_HD double angle_of(Turning turning, double a) {
  if (turning == Turning::euler) return std::atan(a / (2 - std::sqrt(1 - std::fmin(1., a * a))));
  if (turning == Turning::trapezoidal) return 2 * std::atan(a / 2);
  const double part = 2 * a / 3, rest = 4 - std::cos(a);
  return std::atan2(std::sin(a) + part * rest, rest - part * std::sin(a));
}

struct FindTurns {
  Pieces pieces;
  Points p;
  double h;
  Turning turning;
  Span<const PieceSums> of_runs;
  Span<Turn> to;
  RTSIM_HD void operator()(Index k) const {
    PieceSums s{};
    for (Index r = pieces.first_run[k]; r < pieces.first_run[k + 1]; ++r) s = s + of_runs[r];
    const Index first = pieces.order[pieces.runs[pieces.first_run[k]].begin];
    const Vec3d c = (1 / s.mass) * s.x;
    to[k] = {widen(p.position[first]) + c, {}, 0, 0};
    Vec3d square = s.square, mixed = s.mixed;
    for (int a = 0; a < 3; ++a) {
      square[a] -= s.mass * c[a] * c[a];
      mixed[a] -= s.mass * c[(a + 1) % 3] * c[(a + 2) % 3];
    }
    const Vec3d w = angular_velocity(square, mixed, s.spin - cross(c, s.v));
    const double rate = norm(w), angle = angle_of(turning, rate * h), half = std::sin(angle / 2);
    if (!(rate > 0)) return;
    to[k].axis = (1 / rate) * w;
    to[k].sine = std::sin(angle), to[k].versine = 2 * half * half;
  }
};

}  // namespace

void find_turns(const Exec& ex, const Pieces& pieces, const Points& p, Span<const Vec<3>> v, Real h,
                Turning turning, Span<PieceSums> of_runs, Span<Turn> to) {
  parallel_for(ex, "fem.sum_runs", of_runs.size, SumRuns{pieces, p, v, of_runs});
  parallel_for(ex, "fem.find_turns", to.size,
               FindTurns{pieces, p, double(h), turning, of_runs, to});
}

}  // namespace rtsim::fem
