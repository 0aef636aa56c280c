#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/vec.h"
#include "param/describe.h"

// Geometry in: signed distances, fills and surface samples, in double, on the host, at build time.
// In 2D shapes ignore z.
namespace rtsim {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Bounds {
  Vec3d min, max;  // infinite where the shape is
};

class ShapeParts;
struct TriangleMesh;

class Shape {
 public:
  virtual ~Shape() = default;

  // Distance to the surface [m], negative inside the solid.
  virtual double distance(const Vec3d& x) const = 0;
  virtual Bounds bounds() const = 0;
  // A box around the surface alone: of a tank, that of its hollow.
  virtual Bounds surface_bounds() const { return bounds(); }
  // Open meshes have a surface but no inside: they can be sampled, not filled.
  virtual bool closed() const { return true; }
  // [m^3] where it is known exactly.
  virtual std::optional<double> volume() const { return std::nullopt; }
  // Says what it is made of. Throws Error{bad_input} for a shape that nothing can touch.
  virtual void write(ShapeParts&) const;
};

// Rigid placement: x = translation + R(axis, angle) (scale * local).
struct TransformSpec {
  Vec3d translate;  // [m]
  Vec3d axis{{0, 0, 1}};
  double angle = 0;  // [deg] about the axis
  double scale = 1;  // 1e-3 brings millimetres to metres
};

// One pose of a keyframed motion.
struct KeyframeSpec {
  double time = 0;  // [s]
  Vec3d translate;  // [m]
  Vec3d axis{{0, 0, 1}};
  double angle = 0;  // [deg]
};

// How a shape moves from where it was put: constant velocity and spin about a centre, or keyframes
// joined linearly. Evaluated at a time, so it needs no state.
struct MotionSpec {
  Vec3d velocity;  // [m/s]
  Vec3d spin_axis{{0, 0, 1}};
  double spin = 0;  // [rad/s]
  Vec3d centre;     // [m] of the spin
  std::vector<KeyframeSpec> keyframes;
};

struct BoxSpec {
  Vec3d min, max;
};  // [m]
struct SphereSpec {
  Vec3d centre;
  double radius = 0;
};  // [m]
struct PlaneSpec {
  Vec3d point;
  Vec3d normal{{0, 1, 0}};
};  // solid below
struct CapsuleSpec {
  Vec3d a, b;
  double radius = 0;
};  // [m]
struct CylinderSpec {
  Vec3d a, b;
  double radius = 0;
};  // [m]
struct EllipsoidSpec {
  Vec3d centre, radii;
};  // [m]
struct PolygonSpec {
  std::vector<Vec3d> points;
};  // [m], 2D, either sense
struct MeshSpec {
  FileName file;
};
struct HeightMapSpec {
  FileName file;
  Vec3d min, max;
};  // grey values map to [min.y, max.y]

struct VolumeSpec {
  FileName file;
  std::string grid;                     // empty: the only one that can be meant
  std::optional<double> least_density;  // of a density, above which it is solid
};

// Exactly one of the shapes, turned inside out on request, then placed.
struct ShapeSpec {
  std::optional<BoxSpec> box;
  std::optional<SphereSpec> sphere;
  std::optional<PlaneSpec> plane;
  std::optional<CapsuleSpec> capsule;
  std::optional<CylinderSpec> cylinder;
  std::optional<EllipsoidSpec> ellipsoid;
  std::optional<PolygonSpec> polygon;
  std::optional<MeshSpec> mesh;
  std::optional<HeightMapSpec> height_map;
  std::optional<VolumeSpec> volume;
  std::vector<ShapeSpec> all_of, any_of, difference;  // intersection, union, first minus the rest
  bool inside = false;                                // the solid is what lies outside: a tank
  TransformSpec transform;
};

void describe(Describe&, TransformSpec&);
void describe(Describe&, MotionSpec&);
void describe(Describe&, ShapeSpec&);

// Throws Error{bad_input} for a mesh that is missing, empty, broken; the text names file and line.
std::unique_ptr<Shape> make_shape(const ShapeSpec&, int dim);

// The triangles of a mesh or a volume, welded and not yet placed. Throws likewise.
TriangleMesh read_surface(const ShapeSpec&);

// The same in space of surfaces that may be nearly closed, as shapes/mended_solid.h says, which
// notes what it mended. Slower, and nothing can touch it.
std::unique_ptr<Shape> make_mended_shape(const ShapeSpec&, double largest_holes,
                                         std::vector<std::string>& notes);

}  // namespace rtsim
