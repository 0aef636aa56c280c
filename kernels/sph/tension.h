#pragma once
#include "neighbours/neighbour_lists.h"
#include "sph/medium.h"
#include "sph/pairs.h"

// Launchers of tension: pressure below zero, of rows that have fluid or walls all round them.
// Motion rows are (u, v, w, rho).
//
// Rows at a surface bear none, as nothing pulls there. They are told by the trace of
//
//   M_i = sum_j m / rho_j (x_j - x_i) grad W_ij^T + sum_b V_b (x_b - x_i) grad W_ib^T
//
// (Lee, Moulinec, Xu, Violeau, Laurence, Stansby, "Comparisons of weakly compressible and truly
// incompressible algorithms for the SPH mesh free particle method", J. Comput. Phys. 227, 2008),
// which is D inside. Of a lattice under a plane surface the first row has 0.69 to 0.83 of it, the
// second 0.91 to 1.08, at supports of 2 to 4; two blocks are apart from 1.2 spacings of a gap on.
//
// Near a surface densities lack what the kernel does not find there, so what is below rest density
// is not stretched for that. How far a row is says a column of its own, as delta-SPH carries its
// density (Marrone et al., "delta-SPH model for simulating violent impact flows", Comput. Methods
// Appl. Mech. Eng. 200, 2011), and that a summed density can only make less:
//
//   ds_i/dt = -1/rho0 drho_i/dt,   0 <= s_i <= max(0, 1 - rho_i / rho0),   s_i = 0 at a surface
//
// All limits take from the energy of tension, so it never feeds any: what is torn is lost, and what
// meets again starts unstretched.
namespace rtsim::sph {

// Of D, where a row bears tension: midway between first and second rows.
constexpr double bearing_trace = 0.87;

struct Bearing {
  Medium medium;
  Real least_trace;

  static Bearing of(const Medium& m, int dim) { return {m, Real(bearing_trace * dim)}; }
};

// bears[i] = 1 where row i may bear tension, else 0.
void find_bearing(const Exec&, const Bearing&, const PairRows& fluid, const PairRows& walls,
                  const neighbours::NeighbourLists&, Span<Real> bears);

// s_i a time of dt on, by the rate of the density that the motion rows have now.
void stretch(const Exec&, const Bearing&, Real dt, const PairRows& fluid, const PairRows& walls,
             const neighbours::NeighbourLists&, Span<Real> stretch);

}  // namespace rtsim::sph
