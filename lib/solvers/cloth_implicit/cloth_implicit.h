#pragma once
#include <optional>

#include "deformables/contacts/contact.h"
#include "deformables/implicit_solve.h"
#include "deformables/position_based_params.h"
#include "stage/stage_type.h"

namespace rtsim {

struct ClothImplicitParams {
  ObjectName mesh;
  double stretch_stiffness = 1000;       // k_u [N/m]
  std::optional<double> weft_stiffness;  // k_v [N/m]
  double shear_stiffness = 100;          // k_s [N/m]
  double bending_stiffness = 2e-5;       // B [N m]
  double warp_length = 1, weft_length = 1;
  Vec3d warp{{0, 0, 0}};
  RestShape rest_shape = RestShape::as_built;
  double damping = 0, bending_damping = 0;  // tau [s]
  double drag = 0;                          // [1/s]
  int substeps = 1;
  std::optional<double> stretch_change;
  ImplicitParams solve;
  ContactParams contact;
};

void describe(Describe&, ClothImplicitParams&);
double row_bytes(const ClothImplicitParams&, const GridShape&);

StageType cloth_implicit_type();

}  // namespace rtsim
