#pragma once
#include <optional>

#include "stage/stage_type.h"

namespace rtsim {

struct ConstantField {
  Vec3d acceleration;  // [m/s^2]
};
struct PointField {
  Vec3d centre;            // [m]
  double strength = 1;     // [m^3/s^2]
  double softening = 0.1;  // [m]
};
struct VortexField {
  Vec3d centre;  // [m]
  Vec3d axis{{0, 0, 1}};
  double strength = 1;     // [m^2/s^2]
  double softening = 0.1;  // [m]
};
struct LinearField {
  Vec3d centre;          // [m]
  double stiffness = 1;  // k [1/s^2]
};
struct FieldBox {
  Vec3d min, max;  // [m]
};
struct FieldSphere {
  Vec3d centre;       // [m]
  double radius = 1;  // [m]
};

struct ForceFieldParams {
  ObjectName particles;
  std::optional<ConstantField> constant;
  std::optional<PointField> point;
  std::optional<VortexField> vortex;
  std::optional<LinearField> linear;
  std::optional<FieldBox> box;
  std::optional<FieldSphere> sphere;
  double start = 0;           // [s]
  std::optional<double> end;  // [s]
};

void describe(Describe&, ConstantField&);
void describe(Describe&, PointField&);
void describe(Describe&, VortexField&);
void describe(Describe&, LinearField&);
void describe(Describe&, FieldBox&);
void describe(Describe&, FieldSphere&);
void describe(Describe&, ForceFieldParams&);

StageType force_field_type();

}  // namespace rtsim
