#pragma once
#include "deformables/contacts/contact.h"
#include "deformables/implicit_solve.h"
#include "fem/fem.h"
#include "shapes/shape.h"
#include "stage/stage_type.h"

namespace rtsim {

enum class FemIntegrator { symplectic_euler, backward_euler, newmark, bdf2 };

// Elements of another material than the rest.
struct FemRegion {
  std::vector<ShapeSpec> inside;  // whose middles are in any of these
  std::optional<int> tag;         // or that a file has in this group
  std::optional<double> youngs_modulus, poissons_ratio, density;
};

// Pressure on faces of the surface.
struct FacePressure {
  double pressure = 0;                 // [Pa], inwards
  std::vector<ShapeSpec> inside;       // on faces whose corners are in one of these; none: on all
  std::vector<double> times, factors;  // [s], of the pressure
  FileName file;                       // in place of these
};

// What of the strain stays, once it is too much.
struct PlasticParams {
  std::optional<double> yield_strain;
  std::optional<double> creep;  // [1/s]; none: at once
  std::optional<double> max_plastic_strain;
};

struct FemParams {
  ObjectName mesh;
  fem::Material material = fem::Material::neo_hookean;
  double youngs_modulus = 1e6;     // E [Pa]
  double poissons_ratio = 0.3;     // nu
  std::vector<FemRegion> regions;  // the last that has an element counts
  std::vector<FacePressure> pressures;
  PlasticParams plastic;
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

fem::Lame<double> lame_of(double youngs_modulus, double poissons_ratio);
double greatest_poissons_ratio(const FemParams&);  // of all regions

StageType fem_type();

}  // namespace rtsim
