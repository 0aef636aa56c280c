#pragma once
#include <cmath>

#include "base/vec.h"
#include "exec/buffer.h"
#include "neighbours/neighbour_lists.h"
#include "sph/medium.h"
#include "sph/pairs.h"
#include "sph_forces/drop_balance.h"

// Launchers of what acts in a particle fluid besides pressure. All change velocities in motion rows
// (u, v, w, rho); `Surroundings` has these rows, and where a law says so other rows in their place.
namespace rtsim::sph_forces {

struct Surroundings {
  sph::Medium medium;
  sph::PairRows fluid, walls;
  const neighbours::NeighbourLists& lists;

  Surroundings with(Span<const Row4> motion) const {
    return {medium, {fluid.cells, motion}, walls, lists};
  }
};

// Implicit viscosity: the system A v' = v + dt (wall motion), see implicit_viscosity.h.
struct Viscosity {
  sph::Medium medium;
  Real fluid, wall;  // 4 (D + 2) nu dt [m^2]
  Real softening;    // 0.01 h^2 [m^2]
};
constexpr Index block_size = 6;  // numbers of a symmetric 3 x 3 matrix: xx xy xz yy yz zz

// The inverse of each row's diagonal block of A.
void viscous_blocks(const Exec&, const Surroundings&, const Viscosity&, Span<Real> inverse);
// product = A v of the motion rows, walls at rest.
void viscous_product(const Exec&, const Surroundings&, const Viscosity&, Span<Row4> product);
// residual = b - A v of the motion rows, where v itself is the velocity before.
void viscous_residual(const Exec&, const Surroundings&, const Viscosity&, Span<Row4> residual);

// Preconditioned conjugate gradients on rows; their fourth numbers stay as they are.
struct Dots {
  double rr = 0, rz = 0, xx = 0;
};
Dots dots(const Exec&, Span<const Row4> r, Span<const Real> inverse, Span<const Row4> x);
double dot(const Exec&, Span<const Row4> a, Span<const Row4> b, Index rows);
// p = M^-1 r + beta p
void update_direction(const Exec&, Span<const Row4> r, Span<const Real> inverse, Real beta,
                      Span<Row4> p);
// x += alpha p, r -= alpha q
void advance(const Exec&, Real alpha, Span<const Row4> p, Span<const Row4> q, Span<Row4> x,
             Span<Row4> r);
// The first `rows` of x += (a, 0)
void shift(const Exec&, const Row4& a, Index rows, Span<Row4> x);
// x += c, r -= c of a column; and c = x - before.
template <int D>
void guess(const Exec&, Span<const Vec<D>> change, Span<Row4> x);
template <int D>
void guessed(const Exec&, Span<const Vec<D>> change, Span<Row4> r);
template <int D>
void keep_change(const Exec&, Span<const Row4> x, Span<const Row4> before, Span<Vec<D>> change);
// x += r
void add_rows(const Exec&, Span<const Row4> r, Span<Row4> x);

// Cohesion, area minimisation and adhesion, see cohesion.h.
struct Cohesion {
  sph::Medium medium;
  Real dt;
  Real volume;                // m / rho0 [m^D]
  Real cohesion, area, wall;  // [m/s^2]
  Real scale, wall_scale;     // of the kernels C and A [1/m^D]
};
// normals[i] = (n_i, rho_i)
void surface_normals(const Exec&, const Surroundings&, Span<Row4> normals);
// Of surroundings whose motion rows are the normals.
void cohere(const Exec&, const Surroundings&, const Cohesion&, Span<Row4> motion);

// Surface tension, see surface_tension.h: each of surroundings whose motion rows are what the one
// before it gave, the first of any. Rows of no surface stay as they are. Curvatures are `most` (D -
// 1) at the greatest, for what is smaller than a spacing has none.
void surface(const Exec&, const Surroundings&, Real least, Span<Row4> rows);
void blur(const Exec&, const Surroundings&, Span<const Row4> surface, Span<Row4> blurred);
void curvature(const Exec&, const Surroundings&, Span<const Row4> surface, Span<Row4> bent);
// The impulse of each row of the surface; its fourth number is above zero near walls.
void tension(const Exec&, const Surroundings&, Real strength, Real most, Real depth,
             Span<const Row4> surface, Span<Row4> impulse);
// v += impulse, less what it would move whole drops by, see drop_balance.h.
struct Drops {
  Buffer<Index> label, next;
  Buffer<DropSum> sums;
  explicit Drops(const Exec& ex) : label(ex), next(ex), sums(ex) {}
};
void add_balanced(const Exec&, const CellRows&, Span<const Row4> impulse, Drops&,
                  Span<Row4> motion);

// Vorticity confinement, see vorticity.h. curls[i] = (omega_i, |omega_i|)
void curls(const Exec&, const Surroundings&, Span<Row4> curls);
// Of surroundings whose motion rows are the curls.
void confine(const Exec&, const Surroundings&, Real strength_dt, Span<Row4> motion);

// Micropolar fluid, see micropolar.h.
struct Micropolar {
  sph::Medium medium;
  Real dt;
  Real transfer;         // nu_t [m^2/s]
  Real inverse_inertia;  // 1 / Theta [1/m^2]
  Real viscosity;        // zeta
};
// spin rows (omega, rho)
template <int D>
void pack_spin(const Exec&, Span<const Vec<D == 2 ? 1 : 3>> omega, Span<const Row4> motion,
               Span<Row4> spin);
// v += dt nu_t curl omega, and the smoothed omega; of surroundings whose motion rows are spin rows.
void spin_to_flow(const Exec&, const Surroundings&, const Micropolar&, Span<Row4> motion,
                  Span<Row4> smoothed);
// omega' from the smoothed omega and the curl of the motion rows.
template <int D>
void flow_to_spin(const Exec&, const Surroundings&, const Micropolar&, Span<const Row4> smoothed,
                  Span<Vec<D == 2 ? 1 : 3>> omega);

// Air drag, see drag.h.
struct Drag {
  Real dt;
  Real wind[3];          // [m/s]
  Real rate;             // k of a lone drop [1/m]
  Real full_neighbours;  // of a row without a surface near
};
void drag(const Exec&, const Drag&, Span<const Index> neighbours, Span<Row4> motion);

// The same of drops that the wind flattens and that shelter one another, see drag.h; in 3D.
struct DropDrag {
  Real dt;
  Real wind[3];          // [m/s]
  Real scale;            // rho_air / 2m [1/m^3]
  Real reynolds;         // Re / |u| [s/m]
  Real flattening;       // y1 [s^2/m^2]
  Real radius;           // L [m]
  Real face;             // d^2 [m^2]
  Real most_neighbours;  // 2/3 n_full

  RTSIM_HD Real coefficient_area(Real speed, Real n) const {
    const Real f = n < most_neighbours ? n / most_neighbours : 1;
    const Real flat = flattening * speed * speed, y = flat < 1 ? flat : 1;
    const Real re = reynolds * speed > Real(0.2) ? reynolds * speed : Real(0.2);
    const Real root3 = std::cbrt(re);
    const Real ball = re < 1000 ? 24 / re * (1 + root3 * root3 / 6) : Real(0.424);
    const Real r = radius * (1 + y / 2);
    const Real c = (1 - f) * ball * (1 + Real(2.632) * y) + f;
    return c * ((1 - f) * Real(3.14159265358979) * r * r + f * face);
  }
};
void drag(const Exec&, const DropDrag&, const Surroundings&, Span<const Index> neighbours,
          Span<Row4> motion);

}  // namespace rtsim::sph_forces
