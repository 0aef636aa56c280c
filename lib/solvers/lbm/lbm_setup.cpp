#include "solvers/lbm/lbm_setup.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rtsim {

template <int D>
void lbm_start_fields(const LbmParams& p, const GridShape& g, Table& cells, const Exec& ex) {
  std::vector<Real> pressure(std::size_t(cells.rows()), 0);
  std::vector<Vec<D>> velocity(pressure.size(), narrow<D>(p.velocity));
  if (p.vortices) {
    const double kx = 2 * std::numbers::pi * p.vortices->waves / (g.cells[0] * g.spacing);
    const double ky = 2 * std::numbers::pi * p.vortices->waves / (g.cells[1] * g.spacing);
    const double r = kx / ky, speed = p.vortices->speed / std::max(1.0, r);
    for (Index c = 0; c < cells.rows(); ++c) {
      const Vec3d x = g.centre(c) - g.low;
      Vec<D>& u = velocity[std::size_t(c)];
      u[0] += Real(speed * std::cos(kx * x[0]) * std::sin(ky * x[1]));
      u[1] -= Real(speed * r * std::sin(kx * x[0]) * std::cos(ky * x[1]));
      pressure[std::size_t(c)] = Real(-0.25 * p.density * speed * speed *
                                      (std::cos(2 * kx * x[0]) + r * r * std::cos(2 * ky * x[1])));
    }
  }
  ex.upload(cells.column<Real>("pressure").data, pressure.data(), pressure.size() * sizeof(Real));
  ex.upload(cells.column<Vec<D>>("velocity").data, velocity.data(),
            velocity.size() * sizeof(Vec<D>));
}

double lbm_start_speed(const LbmParams& p) {
  return norm(p.velocity) + (p.vortices ? std::abs(p.vortices->speed) : 0);
}

template <int D>
lbm::Law<D> lbm_law(const LbmParams& p, const LbmUnits& units, double scale) {
  const double nu = units.to_viscosity(p.kinematic_viscosity), less_half = 3 * nu;
  const bool bgk = p.collision == LbmParams::Collision::bgk;
  const double magic = p.magic.value_or(p.smagorinsky > 0 ? 0.001 : 3.0 / 16);
  lbm::Law<D> law;
  law.viscosity = Real(nu);
  law.even = Real(1 / (less_half + 0.5));
  law.odd = bgk ? law.even : Real(1 / (magic / less_half + 0.5));
  law.magic = bgk ? 0 : Real(magic);
  law.eddy = Real(18 * p.smagorinsky * p.smagorinsky / scale);
  law.quadratic = Real(1 / scale);
  for (int a = 0; a < D; ++a) law.force[a] = Real(scale * units.to_acceleration(p.acceleration[a]));
  return law;
}

#define RTSIM_LBM_SETUP(D)                                                                    \
  template void lbm_start_fields<D>(const LbmParams&, const GridShape&, Table&, const Exec&); \
  template lbm::Law<D> lbm_law<D>(const LbmParams&, const LbmUnits&, double);
RTSIM_LBM_SETUP(2)
RTSIM_LBM_SETUP(3)
#undef RTSIM_LBM_SETUP

}  // namespace rtsim
