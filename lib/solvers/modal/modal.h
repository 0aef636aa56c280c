#pragma once
#include <optional>

#include "stage/stage_type.h"

namespace rtsim {

struct ModalParams {
  ObjectName mesh;
  double youngs_modulus = 1e6;              // E [Pa]
  double poissons_ratio = 0.3;              // nu
  int modes = 20;                           // r
  std::optional<double> highest_frequency;  // [Hz]
  double damping_ratio = 0;                 // zeta, of every mode
  double rayleigh_mass = 0;                 // [1/s]
  double rayleigh_stiffness = 0;            // [s]
  bool warping = false;
  ObjectNames boundary;
  std::optional<double> thickness;  // [m]
  double friction = 0.3;
  double recovery = 0.5;  // [m/s]
};

void describe(Describe&, ModalParams&);
double row_bytes(const ModalParams&, const GridShape&);

StageType modal_type();

}  // namespace rtsim
