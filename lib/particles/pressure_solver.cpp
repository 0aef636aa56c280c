#include "particles/pressure_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "sph/tension.h"

namespace rtsim {

namespace {

// The greatest eigenvalue of D^-1 A on an endless lattice at rest: the greatest, over wave vectors,
// of |sum_j grad W_j sin(k x_j)|^2 / sum_j |grad W_j|^2.
double lattice_eigenvalue(const sph::CubicSpline& kernel, int dim, double spacing) {
  const int reach = int(std::ceil(double(kernel.support) / spacing));
  std::vector<std::array<double, 6>> terms;  // gradient, offset in spacings
  double diagonal = 0;
  for (int z = dim == 3 ? -reach : 0; z <= (dim == 3 ? reach : 0); ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        const double r = spacing * std::sqrt(x * x + y * y + z * z);
        if (r == 0 || r >= double(kernel.support)) continue;
        const double g = double(kernel.slope(Real(r))) / r;
        terms.push_back({g * x, g * y, g * z, double(x), double(y), double(z)});
        diagonal += g * g * (x * x + y * y + z * z);
      }
  constexpr int waves = 12;
  const double step = 3.14159265358979323846 / waves;
  double greatest = 0;
  for (int kz = 0; kz <= (dim == 3 ? waves : 0); ++kz)
    for (int ky = kz; ky <= waves; ++ky)
      for (int kx = ky; kx <= waves; ++kx) {
        double g[3] = {0, 0, 0};
        for (const auto& t : terms) {
          const double s = std::sin(step * (kx * t[3] + ky * t[4] + kz * t[5]));
          for (int a = 0; a < 3; ++a) g[a] += t[std::size_t(a)] * s;
        }
        greatest = std::max(greatest, (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / diagonal);
      }
  return greatest;
}

// Steps with momentum diverge from 4/3 of the inverse of that eigenvalue on. Walls change it by 5
// %, jitter of 0.3 spacings raises it by 20 % (found by solving for small blocks); the solve itself
// halves the relaxation where a splash is worse.
double stable_relaxation(const sph::CubicSpline& kernel, int dim, double spacing) {
  return 1.05 / lattice_eigenvalue(kernel, dim, spacing);
}

template <int D>
pressure::Pairs pairs(const SphFluid<D>& f, Span<const Row4> motion) {
  return {f.medium, {f.rows().cells, motion}, f.walls(), f.lists(), f.phases()};
}

template <int D>
pressure::Body body(World& world, const SphFluid<D>& fluid, const std::vector<double>& viscosities,
                    double dt) {
  const double h = fluid.support / 2, d = fluid.spacing;
  pressure::Body b{
      .dt = Real(dt),
      .gravity = {},
      .viscosity = Real(4 * (D + 2) * viscosities[0]),
      .softening = Real(0.01 * h * h),
      // Stops what a Courant number of 0.4 allows; fluid at rest, 0.9 d away, is out of reach.
      .contact = {Real(0.3 * d / (dt * dt)), Real(1 / (0.75 * d)), fluid.medium.least_r2},
      .viscosities = harmonic_means(viscosities, 4 * (D + 2))};
  for (int a = 0; a < D; ++a) b.gravity[a] = Real(world.gravity[std::size_t(a)]);
  return b;
}

}  // namespace

void PressureResult::keep_worse(const PressureResult& o) {
  iterations = std::max(iterations, o.iterations);
  mean = std::max(mean, o.mean), max = std::max(max, o.max);
  missed = missed || o.missed;
}

std::string PressureResult::warning(const char* solve) const {
  if (!missed) return {};
  return fmt::format(
      "the {} solve left a mean error of {:.2g} after {} iterations: use a smaller dt or more "
      "substeps, or \"max_iterations\"; fluid that walls squeeze has no room to go to",
      solve, mean, iterations);
}

template <int D>
PressureSolver<D>::PressureSolver(World& world, const SphFluid<D>& fluid, const SphParams& p,
                                  BodyResponse<D>& bodies, double kinematic_viscosity,
                                  Prediction prediction, bool tension)
    : walls_(world, fluid, p),
      bodies_(bodies),
      viscosities_(relative_viscosities(p, kinematic_viscosity)),
      prediction_(prediction),
      omega_(stable_relaxation(fluid.medium.kernel, D, fluid.spacing)),
      predicted_(world.exec),
      diagonal_(world.exec),
      rate_(world.exec),
      last_(world.exec),
      tension_(tension),
      bears_(world.exec) {}

template <int D>
void PressureSolver<D>::add_pressure(World& world, SphFluid<D>& fluid, const char* column) {
  const char* unit = D == 2 ? "m^4/(kg s^2)" : "m^5/(kg s^2)";
  fluid.table(world).template add<Real>({column, unit});
  walls_.add_pressure(world, column, unit);
}

template <int D>
Span<Real> PressureSolver<D>::pressure(World& world, SphFluid<D>& fluid, const char* column) {
  return fluid.table(world).template column<Real>(column);
}

// To the fourth numbers of all rows, and the walls' own to where it is worked on.
template <int D>
Span<Real> PressureSolver<D>::load(World& world, SphFluid<D>& fluid, const char* column) {
  const Span<Real> k = pressure(world, fluid, column);
  if (tension_) pressure::let_go(world.exec, bears_.span(), k);
  pressure::load(world.exec, k, fluid.position_rows());
  pressure::load(world.exec, walls_.fetch(world, fluid, column), fluid.wall_motion());
  return k;
}

template <int D>
void PressureSolver<D>::start(World& world, SphFluid<D>& fluid, const char* column, double dt) {
  const std::size_t n = std::size_t(fluid.table(world).rows());
  diagonal_.resize(n), rate_.resize(n), last_.resize(n), predicted_.resize(n + lane_count);
  world.exec.zero(predicted_.data() + n, lane_count * sizeof(Row4));
  fluid.pack_motion(world);
  if (tension_) find_bearing(world, fluid);
  const pressure::Pairs near = pairs(fluid, fluid.motion_rows());
  walls_.find(world, fluid, near);
  load(world, fluid, column);
  pressure::push_diagonal(world.exec, near, Real(dt), diagonal_.span(), fluid.motion_rows());
  const Span<const Real> mobility_bound =
      bodies_.mobility_bound(world, fluid, [&](Span<const Index> samples, Span<Row4> pull) {
        pressure::pull_on_samples(world.exec, near, !walls_.empty(), samples, pull);
      });
  if (mobility_bound.size == 0) return;
  pressure::add_mobility(world.exec, near, mobility_bound, diagonal_.span());
  walls_.add_mobility(world, near, mobility_bound);
  if (dt > 0) push_bodies(world, fluid, dt);
}

template <int D>
void PressureSolver<D>::find_bearing(World& world, const SphFluid<D>& fluid) {
  bears_.resize(rate_.size());
  sph::find_bearing(world.exec, sph::Bearing::of(fluid.medium, D), fluid.rows(), fluid.walls(),
                    fluid.lists(), bears_.span());
}

// By the pressure in the rows' fourth numbers.
template <int D>
void PressureSolver<D>::push_bodies(World& world, SphFluid<D>& fluid, double dt) {
  bodies_.push(world, fluid, dt, [&](Span<const Index> samples, Span<Row4> push) {
    pressure::push_on_samples(world.exec, pairs(fluid, fluid.motion_rows()), samples, push);
  });
}

template <int D>
void PressureSolver<D>::predict(World& world, SphFluid<D>& fluid, const char* column, double dt) {
  const pressure::Body b = body(world, fluid, viscosities_, dt);
  load(world, fluid, column);
  const pressure::Pairs near = pairs(fluid, fluid.motion_rows());
  pressure::predict(world.exec, near, b, predicted_.span());
  bodies_.push(world, fluid, dt, [&](Span<const Index> samples, Span<Row4> push) {
    pressure::predict_on_samples(world.exec, near, b, samples, push);
  });
}

template <int D>
void PressureSolver<D>::find_rates(World& world, SphFluid<D>& fluid, const pressure::Pairs& near,
                                   double dt) {
  const bool by_distances = prediction_ == Prediction::distances;
  if (by_distances)
    pressure::predicted_rate(world.exec, near, Real(dt), fluid.density(world), rate_.span());
  else
    pressure::rate(world.exec, near, rate_.span());
  walls_.find_rate(world, near, dt, by_distances);
}

template <int D>
double PressureSolver<D>::pace(World& world, SphFluid<D>& fluid, double dt) const {
  const double speed =
      std::sqrt(double(pressure::greatest_speed2(world.exec, fluid.motion_rows())));
  const double eighths = std::min(8 * dt / fluid.courant_dt(speed), 1.0);
  return eighths * eighths;
}

template <int D>
PressureResult PressureSolver<D>::solve(World& world, SphFluid<D>& fluid,
                                        const pressure::Mending& mending, const char* column,
                                        Span<Row4> motion, const PressureTolerance& tolerance,
                                        double dt) {
  const Exec& ex = world.exec;
  const pressure::Pairs near = pairs(fluid, motion);
  const Span<Real> k = pressure(world, fluid, column), wall_k = walls_.fetch(world, fluid, column);
  const double rho0 = double(fluid.medium.rest_density), n = std::max(k.size, 1),
               rounding = double(std::numeric_limits<Real>::epsilon()),
               aim = std::max(tolerance.pace * tolerance.mean, rounding);
  const pressure::Target target{mending,
                                Real(dt),
                                fluid.medium.rest_density,
                                fluid.density(world),
                                rate_.span(),
                                diagonal_.span(),
                                k,
                                bears_.span(),
                                fluid.position_rows()};
  pressure::Target of_walls = walls_.target(target);
  of_walls.rows = fluid.wall_motion();
  double omega = omega_;
  int age = 0;  // iterations since momentum was last dropped
  PressureResult r;
  for (;; ++r.iterations, ++age) {
    find_rates(world, fluid, near, dt);
    const pressure::Residual left =
        pressure::WorseResidual{}(pressure::residual(ex, target), pressure::residual(ex, of_walls));
    r.mean = left.sum / n / rho0, r.max = double(left.max) / rho0;
    r.missed = !(r.mean <= tolerance.mean && r.max <= tolerance.max);
    const bool good = !r.missed && r.mean <= aim;
    if ((good && r.iterations > 0) || r.iterations >= tolerance.max_iterations) break;
    // O'Donoghue & Candes, "Adaptive Restart for Accelerated Gradient Schemes", 2015: momentum that
    // leads beyond the least is dropped. Where none was taken, the step itself is too long.
    if (r.iterations > 0 && left.along < 0) {
      if (age == 1) omega *= 0.5;
      age = 0;
    }
    const Real momentum = Real(age) / Real(age + 3);
    pressure::relax(ex, target, Real(omega), momentum, k, last_.span(), fluid.position_rows());
    pressure::relax(ex, of_walls, Real(omega), momentum, wall_k, walls_.last(),
                    fluid.wall_motion());
    pressure::push(ex, near, Real(dt), motion);
    push_bodies(world, fluid, dt);
    // What was pushed as a start has to follow the flow, so there is always one iteration; where
    // the start was good already, one more pass over the pairs to see what it mended is not worth
    // it.
    if (good) {
      ++r.iterations;
      break;
    }
  }
  walls_.store(world, fluid, column);
  return r;
}

template <int D>
void PressureSolver<D>::push_on_walls(World& world, SphFluid<D>& fluid, const char* column) {
  load(world, fluid, column);
  pressure::push_on_walls(world.exec, pairs(fluid, fluid.motion_rows()), fluid.wall_forces());
}

template <int D>
void PressureSolver<D>::predict_on_walls(World& world, SphFluid<D>& fluid, double dt) {
  rate_.zero();
  pressure::load(world.exec, rate_.span(), fluid.position_rows());
  pressure::load(world.exec, walls_.none(), fluid.wall_motion());
  pressure::predict_on_walls(world.exec, pairs(fluid, fluid.motion_rows()),
                             body(world, fluid, viscosities_, dt), fluid.wall_forces());
}

template class PressureSolver<2>;
template class PressureSolver<3>;

}  // namespace rtsim
