#include "particles/explicit_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "particles/stable_step.h"

namespace rtsim {

double SoundLimits::stable_dt(double h, const sph::Extremes& now) const {
  const double speed = std::sqrt(double(now.speed2)), a = std::sqrt(double(now.acceleration2));
  double dt = courant * h / ((sound_speed + speed) * (1 + 0.6 * artificial_viscosity));
  if (a > 0) dt = std::min(dt, force * std::sqrt(h / a));
  return std::min(dt, viscous_dt(h, kinematic_viscosity));
}

std::string SoundLimits::remedy(double dt, double stable, int substeps) const {
  if (!(stable > 0) || !(dt > 0) || !std::isfinite(dt / stable))
    return fmt::format(
        "in the state the run begins with: check velocity, gravity, "
        "\"particle_mass\" and \"{}\"",
        parameter);
  const double enough = std::ceil(substeps * dt / stable);
  return fmt::format("dt {:.3g} s, the last good state allowed {:.3g} s: try \"substeps\": {:.0f}",
                     dt, stable, std::max(enough, substeps + 1.0));
}

}  // namespace rtsim
