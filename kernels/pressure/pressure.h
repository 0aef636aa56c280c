#pragma once
#include <limits>

#include "neighbours/neighbour_lists.h"
#include "sph/boundary_repulsion.h"
#include "sph/medium.h"
#include "sph/pairs.h"
#include "sph/phases.h"

// Launchers of pressure solvers: find k = p / rho^2 >= 0 whose accelerations keep every density at
// most at rest density, by relaxed Jacobi steps (a projected one, since fluid does not pull). Where
// rows may bear tension (sph/tension.h) k is below zero too, and keeps them from being stretched.
namespace rtsim::pressure {

// The neighbourhood that sums run over: position rows (x, y, z, k), motion rows (u, v, w, .).
struct Pairs {
  sph::Medium medium;
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;
  sph::Phases phases{};
};

// d rho/dt of the motion rows [kg/(m^D s)].
void rate(const Exec&, const Pairs&, Span<Real> rate);
// The lesser of that and of its mean over the next dt, from the density that the pairs will have
// by then.
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
  sph::BoundaryRepulsion contact;
  sph::PhaseTable viscosities{};  // of pairs of phases: 4 (D + 2) mu / rho0 [m^2/s]
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
// D_i += m^2 sum_b rho0 / m V_b |grad W_ib| mobility_bound_b: see rigid/contacts/response.h.
void add_mobility(const Exec&, const Pairs&, Span<const Real> mobility_bound, Span<Real> diagonal);

// How much of a compression a step mends: the part `pace` of it, and what is above `leave`
// [kg/m^D]. Closing a gap within a step leaves rows with the speed gap / dt: nothing beside that of
// a splash, but where fluid hardly moves pressure comes in knocks.
struct Mending {
  Real pace = 1, leave = 0;
  static constexpr Mending none() { return {0, std::numeric_limits<Real>::max()}; }
};
// The greatest |v|^2 [m^2/s^2].
Real greatest_speed2(const Exec&, Span<const Row4> motion);

// What a solve asks of row i: that the excess e_i = dt drho/dt + s_i is not above zero, with
// s_i = rho_i - rho0 where there is room, and what is to be mended of it where it is compressed.
struct Target {
  Mending mending;
  Real dt, rest_density;
  Span<const Real> density, rate, diagonal;
  Span<const Real> k;
  Span<const Real> bears = {};  // above zero where a row may pull; empty where none does
  Span<const Row4> rows = {};   // whose fourth numbers are the last change of k

  RTSIM_HD bool pulls(Index i) const { return bears.size > 0 && bears[i] > 0; }
  RTSIM_HD Real excess(Index i) const {
    const Real s = density[i] - rest_density;
    return fma(dt, rate[i], min(s, max(mending.pace * s, s - mending.leave)));
  }
  // Below zero where row i would be stretched: below rest density, and further than it is. So what
  // is stretched already is not drawn together, which would feed energy, but may come back.
  RTSIM_HD Real lack(Index i) const {
    return fma(dt, rate[i], max(density[i] - rest_density, Real(0)));
  }
  // What changes k_i [kg/m^D].
  RTSIM_HD Real asked(Index i) const { return pulls(i) && k[i] < 0 ? lack(i) : excess(i); }
  // What is wrong with k_i [kg/m^D]: excess, or as much of its absence as k_i has caused; where
  // rows pull, lack in the same way below zero.
  RTSIM_HD Real residual(Index i) const {
    const Real e = excess(i), caused = dt * dt * diagonal[i] * k[i];
    if (pulls(i)) return max(caused + e, Real(0)) + min(caused + lack(i), Real(0)) - caused;
    return e > -caused ? e : -caused;
  }
};

struct Residual {
  double sum = 0;  // of |residual| [kg/m^D]
  Real max = 0;    // excess [kg/m^D]
  // sum of the last change of k_i times what is asked of it now: below zero the change has gone
  // beyond the least of what the solve minimises.
  double along = 0;
};
struct WorseResidual {
  RTSIM_HD Residual operator()(const Residual& a, const Residual& b) const {
    return {a.sum + b.sum, a.max > b.max ? a.max : b.max, a.along + b.along};
  }
};
Residual residual(const Exec&, const Target&);

// k_i' = max(0, k_i + omega e_i / (dt^2 D_i)), and on by `momentum` times what that changed since
// `last`; the change goes to the fourth numbers of the rows. Where rows pull,
// min(0, k_i + omega lack_i / (dt^2 D_i)) is added: as e_i <= lack_i, one of the two is zero.
void relax(const Exec&, const Target&, Real omega, Real momentum, Span<Real> k, Span<Real> last,
           Span<Row4> rows);
struct Relaxation {
  Real omega_dt2, momentum;
  Span<Real> k, last;  // last: of the step before, unread where momentum is zero
  Span<Row4> rows;

  RTSIM_HD void operator()(const Target& target, Index i) const {
    const Real d = target.diagonal[i], before = k[i];
    const Real e = target.excess(i), after = d > 0 ? before + omega_dt2 * e / d : Real(0);
    const bool pulls = target.pulls(i);
    Real now = after > 0 ? after : 0;
    if (pulls && d > 0) now += min(before + omega_dt2 * target.lack(i) / d, Real(0));
    const Real ahead = momentum > 0 ? now + momentum * (now - last[i]) : now;
    last[i] = now;
    k[i] = pulls || ahead > 0 ? ahead : 0;
    rows[i].w = k[i] - before;
  }
};

// The CPU-shaped bodies, eight rows at a time, of the same bits.
Residual residual_of_rows(const Exec&, const Target&);
void relax_rows(const Exec&, const Target&, const Relaxation&);

// k_i = max(k_i, 0) where rows do not bear tension, any more.
void let_go(const Exec&, Span<const Real> bears, Span<Real> k);
// rows[i].w = k_i
void load(const Exec&, Span<const Real> k, Span<Row4> rows);

}  // namespace rtsim::pressure
