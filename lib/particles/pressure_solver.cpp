#include "particles/pressure_solver.h"

#include <algorithm>

namespace rtsim {

namespace {

// Jacobi alone diverges above about 0.9 on full neighbourhoods of support 2 d; half of that leaves
// room for the disorder of a splash and for momentum.
constexpr Real relaxation = Real(0.5);

template <int D>
pressure::Pairs pairs(const SphFluid<D>& f, Span<const Row4> motion) {
  return {f.medium, {f.rows().cells, motion}, f.walls(), f.lists()};
}

}  // namespace

void PressureResult::keep_worse(const PressureResult& o) {
  iterations = std::max(iterations, o.iterations);
  mean = std::max(mean, o.mean), max = std::max(max, o.max);
}

template <int D>
PressureSolver<D>::PressureSolver(const Exec& ex, Prediction prediction)
    : prediction_(prediction), predicted_(ex), diagonal_(ex), rate_(ex), last_(ex) {}

template <int D>
void PressureSolver<D>::start(World& world, SphFluid<D>& fluid, Span<Real> k, double dt) {
  const std::size_t n = std::size_t(k.size);
  diagonal_.resize(n), rate_.resize(n), last_.resize(n), predicted_.resize(n + lane_count);
  world.exec.zero(predicted_.data() + n, lane_count * sizeof(Row4));
  fluid.pack_motion(world, fluid.density(world));
  pressure::load(world.exec, k, fluid.position_rows());
  pressure::push_diagonal(world.exec, pairs(fluid, fluid.motion_rows()), Real(dt), diagonal_.span(),
                          fluid.motion_rows());
}

template <int D>
void PressureSolver<D>::predict(World& world, SphFluid<D>& fluid, Span<Real> k,
                                double kinematic_viscosity, double dt) {
  const double h = fluid.support / 2, d = fluid.spacing;
  pressure::Body b{
      .dt = Real(dt),
      .gravity = {},
      .viscosity = Real(4 * (D + 2) * kinematic_viscosity),
      .softening = Real(0.01 * h * h),
      // Stops what a Courant number of 0.4 allows; fluid at rest, 0.9 d away, is out of reach.
      .contact = {Real(0.3 * d / (dt * dt)), Real(1 / (0.75 * d)), fluid.medium.least_r2}};
  for (int a = 0; a < D; ++a) b.gravity[a] = Real(world.gravity[std::size_t(a)]);
  pressure::load(world.exec, k, fluid.position_rows());
  pressure::predict(world.exec, pairs(fluid, fluid.motion_rows()), b, predicted_.span());
}

template <int D>
PressureResult PressureSolver<D>::solve(World& world, SphFluid<D>& fluid, pressure::Goal goal,
                                        Span<Real> k, Span<Row4> motion,
                                        const PressureTolerance& tolerance, double dt) {
  const Exec& ex = world.exec;
  const pressure::Pairs near = pairs(fluid, motion);
  const double rho0 = double(fluid.medium.rest_density), n = std::max(k.size, 1);
  const pressure::Target target{goal,
                                Real(dt),
                                fluid.medium.rest_density,
                                fluid.density(world),
                                rate_.span(),
                                diagonal_.span(),
                                k};
  for (PressureResult r;; ++r.iterations) {
    if (prediction_ == Prediction::rate)
      pressure::rate(ex, near, rate_.span());
    else
      pressure::predicted_rate(ex, near, Real(dt), fluid.density(world), rate_.span());
    const pressure::Residual left = pressure::residual(ex, target);
    r.mean = left.sum / n / rho0, r.max = double(left.max) / rho0;
    const bool good = r.mean <= tolerance.mean && r.max <= tolerance.max && r.iterations > 0;
    if (good || r.iterations >= tolerance.max_iterations) return r;
    const Real momentum = Real(r.iterations) / Real(r.iterations + 3);
    pressure::relax(ex, target, relaxation, momentum, k, last_.span(), fluid.position_rows());
    pressure::push(ex, near, Real(dt), motion);
  }
}

template class PressureSolver<2>;
template class PressureSolver<3>;

}  // namespace rtsim
