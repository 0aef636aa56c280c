#pragma once
#include "base/vec.h"
#include "exec/exec.h"
#include "exec/span.h"
#include "lanes/row4.h"

// Launchers for what every particle fluid does to its rows, one by one.
namespace rtsim::sph {

// motion[i] = (velocity, w[i]), or w = 0 where there is none; dummies (0, 0, 0, 1) behind them.
template <int D>
void pack_motion(const Exec&, Span<const Vec<D>> velocity, Span<const Real> w, Span<Row4> motion);
template <int D>
void unpack_velocity(const Exec&, Span<const Row4> motion, Span<Vec<D>> velocity);
// velocity = motion, and x' = x + dt v.
template <int D>
void drift(const Exec&, Real dt, Span<const Row4> motion, Span<Vec<D>> velocity,
           Span<Vec<D>> position);

// motion = (v + dt a, .)
template <int D>
void kick(const Exec&, Real dt, Span<const Vec<D>> velocity, Span<const Vec<D>> acceleration,
          Span<Row4> motion);
// p_i = (k_i + more_i) rho_i^2; `more` may be empty.
void pressure_of(const Exec&, Span<const Real> k, Span<const Real> more, Span<const Real> density,
                 Span<Real> pressure);

// The greatest speed and acceleration, and the lowest row whose speed is above a limit, or either
// not finite (or -1). `acceleration` may be empty.
struct Extremes {
  Real speed2 = 0;         // [m^2/s^2]
  Real acceleration2 = 0;  // [m^2/s^4]
  Index astray = -1;
};
template <int D>
Extremes extremes(const Exec&, Real speed_limit, Span<const Vec<D>> velocity,
                  Span<const Vec<D>> acceleration);

// Of unit mass; the fluid multiplies.
struct Sums {
  double kinetic = 0, potential = 0;       // [J/kg]
  double momentum[3] = {0, 0, 0};          // [m/s]
  double angular_momentum[3] = {0, 0, 0};  // angular momentum about the origin [m^2/s]
  double place[3] = {0, 0, 0};             // [m]
  double square[3] = {0, 0, 0};            // of the places [m^2]
  double compression = 0;                  // sum of max(rho/rho0 - 1, 0)
  double max_compression = 0;
  double front = -1e300;  // largest x [m]
  double pairs = 0;       // neighbours of all rows
  Index max_neighbours = 0;
};
template <int D>
struct State {
  Span<const Vec<D>> position, velocity;
  Span<const Real> density;
  Span<const Index> neighbours;
};
template <int D>
Sums sums(const Exec&, const State<D>&, double rest_density, Vec<D> gravity);

}  // namespace rtsim::sph
