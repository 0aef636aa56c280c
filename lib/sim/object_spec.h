#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bodies/body_spec.h"
#include "meshes/add_mesh.h"
#include "meshes/mesh_spec.h"
#include "shapes/deforming_mesh.h"
#include "shapes/shape.h"
#include "sim/flow.h"
#include "world/world.h"

namespace rtsim {

struct ParticlesSpec {
  double spacing = 0;            // [m]
  std::vector<ShapeSpec> fill;   // at the start, if anything
  double settling_time = 0;      // [s]
  Vec3d velocity;                // [m/s] at the start
  std::optional<FlowSpec> flow;  // added to it
};

struct MeshObjectSpec {
  CellMeshSpec cells;
  MeshMass mass;
  Vec3d velocity;                // [m/s] of all points at the start
  std::optional<FlowSpec> flow;  // added to it
};

struct GridSpec {
  double spacing = 0;  // [m]
  Vec3d min, max;      // [m]

  GridShape shape(int dim) const;
};

struct HeightFieldSpec {
  double spacing = 0;           // [m]
  Vec3d min, max;               // [m]; y does not count
  std::vector<ShapeSpec> bed;   // the ground, if it is not at y = 0
  std::vector<ShapeSpec> fill;  // the water at the start

  GridShape shape() const;
};

struct BoundarySpec {
  ShapeSpec shape;
  MotionSpec motion;
  std::optional<DeformationSpec> deformation;
  std::optional<Material> material;
};

// One object of the scene: its name, and what its kind says of it.
struct ObjectSpec {
  using Of = std::variant<ParticlesSpec, MeshObjectSpec, GridSpec, HeightFieldSpec, BodiesSpec,
                          BoundarySpec>;  // in the order of Kind
  std::string name;
  Of of;

  static Of of_kind(Kind);
  Kind kind() const { return Kind(of.index()); }
  // Null where it is of another kind.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&of);
  }
};

// Of particles, grids and height fields [m]; 0 of others.
double spacing_of(const ObjectSpec&);
// Of grids and height fields.
std::optional<GridShape> grid_of(const ObjectSpec&, int dim);
// What fills particles or a height field, or the shape of a boundary.
std::vector<ShapeSpec> shapes_of(const ObjectSpec&);
// A boundary's.
bool moves(const ObjectSpec&);

}  // namespace rtsim
