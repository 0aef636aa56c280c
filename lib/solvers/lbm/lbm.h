#pragma once
#include <optional>

#include "grids/probes.h"
#include "lbm/lbm.h"
#include "stage/stage_type.h"

namespace rtsim {

struct LbmFace {
  lbm::Faces::Kind kind = lbm::Faces::wall;
  Vec3d velocity;          // [m/s] of a wall or an inlet
  double pressure = 0;     // [Pa]
  bool parabolic = false;  // the inlet's profile
  bool absorbing = true;   // a pressure face lets sound out
};

// Vortices in the plane, an exact solution of the Navier-Stokes equations (Taylor & Green 1937).
struct LbmVortices {
  double speed = 0.1;  // [m/s]
  int waves = 1;       // along each axis of the plane
};

struct LbmParams {
  enum class Collision { trt, bgk };
  enum class Storage { real, half };

  ObjectName grid;
  ObjectNames boundary;
  double density = 1.2;                 // [kg/m^D]
  double kinematic_viscosity = 1.5e-5;  // [m^2/s]
  Collision collision = Collision::trt;
  std::optional<double> magic;  // Lambda
  double smagorinsky = 0;       // C
  Storage storage = Storage::real;
  Vec3d acceleration;  // [m/s^2]
  Vec3d velocity;      // [m/s] at the start
  std::optional<LbmVortices> vortices;
  double ramp = 0;  // [s]
  int substeps = 1;
  bool vorticity = false;
  bool boundary_forces = false;
  std::vector<GridProbe> probes;
  LbmFace faces[6];  // 2 axis + side
};

constexpr const char* lbm_face_names[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

void describe(Describe&, LbmFace&);
void describe(Describe&, LbmVortices&);
void describe(Describe&, LbmParams&);
double row_bytes(const LbmParams&, const GridShape&);

StageType lbm_type();

}  // namespace rtsim
