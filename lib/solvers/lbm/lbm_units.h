#pragma once

namespace rtsim {

// SI and lattice units: there a cell, a step, and the density at rest are 1, and sound runs at
// 1/sqrt 3 of a cell a step.
struct LbmUnits {
  double spacing = 1;  // [m]
  double dt = 1;       // [s] of a substep
  double density = 1;  // [kg/m^D]

  double to_speed(double si) const { return si * dt / spacing; }
  double to_viscosity(double si) const { return si * dt / (spacing * spacing); }
  double to_acceleration(double si) const { return si * dt * dt / spacing; }
  double to_density(double pressure) const { return pressure / of_density(); }  // less 1

  double of_speed() const { return spacing / dt; }                             // [m/s] of 1
  double of_density() const { return density * of_speed() * of_speed() / 3; }  // [Pa] of 1
  double of_force(int dim) const {                                             // [N] of 1
    double cell = density;
    for (int a = 0; a < dim; ++a) cell *= spacing;
    return cell * spacing / (dt * dt);
  }
};

// The speed of a cell a step above which the method is no fluid any more (Thuerey 2008, sec. 10.4),
// and the one where its error of compression, of the order of its square, reaches a percent.
constexpr double lbm_greatest_speed = 1.0 / 3, lbm_good_speed = 0.1;

}  // namespace rtsim
