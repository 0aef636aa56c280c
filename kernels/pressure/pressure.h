#pragma once
#include "neighbours/neighbour_lists.h"
#include "sph/contact.h"
#include "sph/medium.h"
#include "sph/pairs.h"

// Launchers of pressure solvers: find k = p / rho^2 >= 0 whose accelerations keep every density at
// most at rest density, by relaxed Jacobi steps (a projected one, since fluid does not pull).
namespace rtsim::pressure {

// The neighbourhood that sums run over: position rows (x, y, z, k), motion rows (u, v, w, .).
struct Pairs {
  sph::Medium medium;
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;
};

// d rho/dt of the motion rows [kg/(m^D s)].
void rate(const Exec&, const Pairs&, Span<Real> rate);
// The mean of the same over the next dt, from the density that the pairs will have by then.
void predicted_rate(const Exec&, const Pairs&, Real dt, Span<const Real> density, Span<Real> rate);
// v_i += dt a_i(k), into `motion`: the motion rows of the fluid.
void push(const Exec&, const Pairs&, Real dt, Span<Row4> motion);
// The same, and the diagonal of the system.
void push_diagonal(const Exec&, const Pairs&, Real dt, Span<Real> diagonal, Span<Row4> motion);

// What acts besides pressure. Contact pushes what comes nearer, and lets go what leaves.
struct Body {
  Real dt;          // [s]
  Real gravity[3];  // [m/s^2]
  Real viscosity;   // 4 (D + 2) nu [m^2/s]
  Real softening;   // 0.01 h^2 [m^2]
  sph::Contact contact;
};
// v_i + dt (gravity, viscosity, contact, a_i(k)), into `motion`: other rows than the fluid's, whose
// fourth numbers are densities.
void predict(const Exec&, const Pairs&, const Body&, Span<Row4> motion);

// What walls get back of the above, added to the first three numbers of `force` [N]. The rows must
// carry the k, and the velocities from which `predict` started.
void push_on_walls(const Exec&, const Pairs&, Span<Row4> force);
void predict_on_walls(const Exec&, const Pairs&, const Body&, Span<Row4> force);

// The same for the samples of rows places[s] alone, into push[s].
void push_on_samples(const Exec&, const Pairs&, Span<const Index> places, Span<Row4> push);
void predict_on_samples(const Exec&, const Pairs&, const Body&, Span<const Index> places,
                        Span<Row4> push);
// sum_i (rho0 / m V_b + 1) |grad W_ib| over the rows around each, by their push and its own, if it
// has one: the first number of pull[s].
void pull_on_samples(const Exec&, const Pairs&, bool own, Span<const Index> places,
                     Span<Row4> pull);
// D_i += m^2 sum_b rho0 / m V_b |grad W_ib| yield_b: see rigid/response.h.
void add_yield(const Exec&, const Pairs&, Span<const Real> yield, Span<Real> diagonal);

// What a solve asks of row i: that the excess e_i = dt drho/dt + s_i is not above zero, with
//   s_i = rho_i - rho0             the density after the step (Goal::density)
//   s_i = min(rho_i - rho0, 0)     no approach, except where there is room (Goal::divergence)
enum class Goal { density, divergence };
struct Target {
  Goal goal;
  Real dt, rest_density;
  Span<const Real> density, rate, diagonal;
  Span<const Real> k;

  RTSIM_HD Real excess(Index i) const {
    const Real s = density[i] - rest_density;
    return fma(dt, rate[i], goal == Goal::divergence && s > 0 ? Real(0) : s);
  }
  // What is wrong with k_i [kg/m^D]: excess, or as much of its absence as k_i has caused.
  RTSIM_HD Real residual(Index i) const {
    const Real e = excess(i), caused = dt * dt * diagonal[i] * k[i];
    return e > -caused ? e : -caused;
  }
};

struct Residual {
  double sum = 0;    // of |residual| [kg/m^D]
  Real max = 0;      // excess [kg/m^D]
  Real surplus = 0;  // greatest |residual| of pressure that should not be there [kg/m^D]
};
struct WorseResidual {
  RTSIM_HD Residual operator()(const Residual& a, const Residual& b) const {
    return {a.sum + b.sum, a.max > b.max ? a.max : b.max,
            a.surplus > b.surplus ? a.surplus : b.surplus};
  }
};
Residual residual(const Exec&, const Target&);

// k_i' = max(0, k_i + omega e_i / (dt^2 D_i)), or 0 where e_i < -torn, and on by `momentum` times
// what that changed since `last`; the change goes to the fourth numbers of the rows.
void relax(const Exec&, const Target&, Real omega, Real momentum, Real torn, Span<Real> k,
           Span<Real> last, Span<Row4> rows);
struct Relaxation {
  Real omega_dt2, momentum, torn;
  Span<Real> k, last;  // last: of the step before, unread where momentum is zero
  Span<Row4> rows;

  RTSIM_HD void operator()(const Target& target, Index i) const {
    const Real d = target.diagonal[i], before = k[i];
    const Real e = target.excess(i), after = d > 0 ? before + omega_dt2 * e / d : Real(0);
    const Real now = after > 0 && !(e < -torn) ? after : 0;
    const Real ahead = momentum > 0 ? now + momentum * (now - last[i]) : now;
    last[i] = now;
    k[i] = ahead > 0 ? ahead : 0;
    rows[i].w = k[i] - before;
  }
};

// The CPU-shaped bodies, eight rows at a time, of the same bits.
Residual residual_of_rows(const Exec&, const Target&);
void relax_rows(const Exec&, const Target&, const Relaxation&);

// rows[i].w = k_i
void load(const Exec&, Span<const Real> k, Span<Row4> rows);

}  // namespace rtsim::pressure
