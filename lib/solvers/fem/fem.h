#pragma once
#include "deformables/contacts/contact.h"
#include "deformables/implicit_solve.h"
#include "fem/fem.h"
#include "stage/stage_type.h"

namespace rtsim {

enum class FemIntegrator { symplectic_euler, backward_euler, newmark, bdf2 };

struct FemParams {
  ObjectName mesh;
  fem::Material material = fem::Material::neo_hookean;
  double youngs_modulus = 1e6;    // E [Pa]
  double poissons_ratio = 0.3;    // nu
  double rayleigh_mass = 0;       // [1/s]
  double rayleigh_stiffness = 0;  // [s]
  FemIntegrator integrator = FemIntegrator::backward_euler;
  int substeps = 1;
  ImplicitParams solve{.newton_iterations = 20};
  ContactParams contact;

  bool implicit() const { return integrator != FemIntegrator::symplectic_euler; }
};

void describe(Describe&, FemParams&);
double row_bytes(const FemParams&, const GridShape&);

fem::Lame<double> lame_of(const FemParams&);

StageType fem_type();

}  // namespace rtsim
