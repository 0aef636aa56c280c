#pragma once
#include "bodies/joints/joint_spec.h"
#include "shapes/shape.h"
#include "world/material.h"

namespace rtsim {

// The convex hull of points, or of the corners of a mesh: exactly one of these, then placed.
struct HullSpec {
  std::vector<Vec3d> points;  // [m]
  FileName file;
  TransformSpec transform;
};

// Copies on a lattice, the first where the body stands.
struct BodyArraySpec {
  std::vector<double> count;     // along each axis
  Vec3d step;                    // [m]
  double jitter = 0;             // [m]
  bool random_rotation = false;  // else all stand alike
};

// Copies in layers, the body being the middle one of the lowest: squares in space, rows in the
// plane, each layer one shorter along each side.
struct BodyPyramidSpec {
  int rows = 1;
  double gap = 0;  // [m] between neighbours of a layer
};

// A body, or its copies: exactly one of `shape` and `hull`.
struct BodySpec {
  std::string name;
  std::vector<ShapeSpec> shape;
  std::optional<HullSpec> hull;
  int hull_corners = 64, convex_parts = 1;
  std::optional<double> density;  // [kg/m^D]
  std::optional<double> mass;     // [kg]
  std::optional<Material> material;
  Vec3d velocity;                        // [m/s]
  std::vector<double> angular_velocity;  // [rad/s], three, or one in the plane, or none
  std::optional<BodyArraySpec> array;
  std::optional<BodyPyramidSpec> pyramid;
};

// The bodies of one object.
struct BodiesSpec {
  std::optional<double> density;  // [kg/m^D] of those that say nothing
  std::vector<BodySpec> list;
  std::vector<JointSpec> joints;
};

void describe(Describe&, BodySpec&);

double estimate_rows(const BodySpec&, int dim);  // how many there will be

}  // namespace rtsim
