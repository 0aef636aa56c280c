#include "solvers/sph_clavet/sph_clavet_law.h"

#include <cmath>

namespace rtsim {

namespace {

// Sums over the neighbours of a particle, itself left out, in the closest packing of so many
// particles: hexagonal in the plane, face-centred cubic in space. Fluid that has come to rest in
// disorder is near that. A square or cubic lattice has more neighbours within two spacings, and by
// its numbers fluid would settle 1.6 % too dense, in space 2.7 %.
struct Packing {
  double number = 0, near_number = 0;  // sum s^2, sum s^3
  double pull = 0, near_pull = 0;      // sum r K, sum r K', r in radii
  double growth = 0, near_growth = 0;  // dn / d(ln rho), and of n'
};

// Distances of neighbours up to `reach`: of points whose numbers add up to an even number, in a
// lattice that is wide (1, sqrt 3) in the plane and (1, 1, 1) in space.
template <class Visit>
void for_packing(int dim, double reach, double spacing, const Visit& visit) {
  const double wide = spacing * (dim == 3 ? std::cbrt(0.5) : std::sqrt(0.5 / std::sqrt(3.0)));
  const double high = dim == 3 ? wide : wide * std::sqrt(3.0);
  const int n = int(std::ceil(reach / wide)), deep = dim == 3 ? n : 0;
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j)
      for (int k = -deep; k <= deep; ++k)
        if ((i + j + k) % 2 == 0 && (i != 0 || j != 0 || k != 0))
          visit(std::sqrt((i * i + k * k) * wide * wide + j * j * high * high));
}

Packing packing(int dim, double spacing, const sph::DoubleDensity& kernels) {
  const double support = double(kernels.support), widening = 0.01;
  Packing sum;
  for_packing(dim, support, spacing, [&](double r) {
    const Real r2 = Real(r * r);
    sum.number += double(kernels.shape(r2)), sum.near_number += double(kernels.near_shape(r2));
    sum.pull -= r / support * double(kernels.slope(Real(r))) / 2;
    sum.near_pull -= r / support * double(kernels.near_slope(Real(r))) / 3;
  });
  for (const double side : {1.0, -1.0})
    for_packing(dim, support, spacing * (1 + side * widening), [&](double r) {
      const double part = -side / (2 * widening * dim);
      sum.growth += part * double(kernels.shape(Real(r * r)));
      sum.near_growth += part * double(kernels.near_shape(Real(r * r)));
    });
  return sum;
}

// Sum of s^2 over a square or cubic lattice, the particle itself included.
double lattice_number(int dim, double spacing, const sph::DoubleDensity& kernels) {
  const int reach = int(std::ceil(double(kernels.support) / spacing)), deep = dim == 3 ? reach : 0;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -deep; k <= deep; ++k)
        sum += double(kernels.shape(Real((i * i + j * j + k * k) * spacing * spacing)));
  return sum;
}

// c^2 / (a H), without tension: c^2 = dp / drho of p = rho H / (2 D) sum (P r K + P' r K').
double stiffness(const Packing& l, int dim, double k, double k_near) {
  return (k * l.pull * l.growth + k_near * l.near_pull * l.near_growth) / (2 * dim);
}

double acceleration_unit(const SphClavetParams& p, const Packing& l, int dim, double support,
                         double expected_speed) {
  if (p.acceleration_unit) return *p.acceleration_unit;
  const double stiff = stiffness(l, dim, p.k, p.k_near);
  if (!(stiff > 0)) return 0;
  // Where nothing moves and nothing falls: the paper's, gravity being 0.001 in its units.
  if (!(expected_speed > 0)) return 9820;
  return 25 * expected_speed * expected_speed / (stiff * support);
}

}  // namespace

sph_clavet::Law clavet_law(const SphClavetParams& p, int dim, double spacing,
                           const sph::Medium& medium, double expected_speed) {
  const double support = double(medium.kernel.support), m = double(medium.mass);
  const auto kernels = sph::DoubleDensity::of(p.kernels, dim, support);
  const Packing full = packing(dim, spacing, kernels);
  const double a = acceleration_unit(p, full, dim, support, expected_speed);
  // By how much the paper's n0 is above n, for its pull to hold k' n' of that packing.
  const double above =
      p.k > 0 ? p.k_near / p.k * full.near_number * full.near_pull / full.pull : 0.0;
  const double n0 = p.rest_number.value_or(full.number + p.tension * above);
  return {.kernels = kernels,
          .push = Real((1 - p.tension) * a * p.k),
          .both_ways = Real(p.tension * a * p.k),
          .near_push = Real(a * p.k_near),
          .push_number = Real(n0 - p.tension * above),
          .rest_number = Real(n0 + (1 - p.tension) * above),
          .near_number = Real((1 - p.tension) * full.near_number),
          .least_r2 = Real(1e-10 * support * support),
          .lone_number = kernels.shape(Real(0)),
          .density_scale = Real(p.sph.rest_density / lattice_number(dim, spacing, kernels)),
          .pressure = Real(support / (4 * double(kernels.scale) * m)),
          .near_pressure = Real(support / (6 * double(kernels.near_scale) * m)),
          .wall_number = medium.wall_mass};
}

double clavet_sound_speed(const sph_clavet::Law& law, int dim, double spacing) {
  const double support = double(law.kernels.support), k = double(law.push) + double(law.both_ways);
  const Packing full = packing(dim, spacing, law.kernels);
  return std::sqrt(support * stiffness(full, dim, k, double(law.near_push)));
}

}  // namespace rtsim
