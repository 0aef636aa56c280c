#pragma once
#include <optional>

#include "deformables/contacts/contact.h"
#include "deformables/implicit_solve.h"
#include "stage/stage_type.h"

namespace rtsim {

enum class SpringLayout { edges, cloth };
enum class SpringLaw { absolute, relative };
enum class SpringIntegrator {
  explicit_euler,
  symplectic_euler,
  midpoint,
  heun,
  rk4,
  verlet,
  velocity_verlet,
  implicit_euler,
  implicit_midpoint
};

inline bool is_implicit(SpringIntegrator i) {
  return i == SpringIntegrator::implicit_euler || i == SpringIntegrator::implicit_midpoint;
}

struct MassSpringParams {
  ObjectName mesh;
  SpringLayout network = SpringLayout::edges;
  SpringLaw law = SpringLaw::absolute;
  double stiffness = 100;                                    // [N/m], or [N] of relative springs
  std::optional<double> shear_stiffness, flexion_stiffness;  // likewise
  double bending_stiffness = 0;                              // B [N m]
  double damping = 0;                                        // c [N s/m]
  double drag = 0;                                           // [1/s]
  double rest_scale = 1;                                     // of rest lengths
  SpringIntegrator integrator = SpringIntegrator::implicit_euler;
  int substeps = 1;
  ImplicitParams solve{1, 1e-4};
  std::optional<double> tear_strain;
  ContactParams contact;
};

void describe(Describe&, MassSpringParams&);
double row_bytes(const MassSpringParams&, const GridShape&);

StageType mass_spring_type();

}  // namespace rtsim
