#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "param/json_reader.h"
#include "shapes/shape.h"

// The parameters of shapes and motions, each said once. A fault needs what it speaks of to be
// given: a missing key is a fault of its own.
namespace rtsim {
namespace {

int dimensions(const Describe& d) { return d.dim() == 2 ? 2 : 3; }

double length(const Describe& d, const Vec3d& v) {
  double sum = 0;
  for (int a = 0; a < dimensions(d); ++a) sum += v[a] * v[a];
  return std::sqrt(sum);
}

bool given(const Describe& d, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return d.given(key); });
}

void check_order(Describe& d, const Vec3d& min, const Vec3d& max) {
  for (int a = 0; a < dimensions(d); ++a)
    if (given(d, {"min", "max"}) && !(min[a] < max[a]))
      d.fault("max", fmt::format("max must lie above min, and along {} it is {} where min is {}",
                                 "xyz"[a], max[a], min[a]));
}

void check_axis(Describe& d, const char* key, const Vec3d& axis) {
  if (d.dim() != 2 && d.given(key) && norm(axis) == 0)
    d.fault(key, "an axis must not be zero; [0, 0, 1] turns about z");
}

// Twice the signed area.
double area(const std::vector<Vec3d>& points) {
  double sum = 0;
  for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++)
    sum += points[j][0] * points[i][1] - points[i][0] * points[j][1];
  return sum;
}

}  // namespace

static void describe(Describe& d, BoxSpec& s) {
  d.required("min", s.min, "m", any(), "Lower corner.");
  d.required("max", s.max, "m", any(), "Upper corner.");
  check_order(d, s.min, s.max);
}

static void describe(Describe& d, SphereSpec& s) {
  d.required("centre", s.centre, "m", any(), "Centre.");
  d.required("radius", s.radius, "m", above(0), "Radius.");
}

static void describe(Describe& d, PlaneSpec& s) {
  d.vector("point", s.point, "m", "A point of the plane.");
  d.vector("normal", s.normal, "", "Points out of the solid, any length.");
  if (d.given("normal") && length(d, s.normal) == 0)
    d.fault("normal", "a normal must not be zero; [0, 1, 0] makes a floor");
}

static void describe(Describe& d, CapsuleSpec& s) {
  d.required("a", s.a, "m", any(), "One end of the segment.");
  d.required("b", s.b, "m", any(), "Its other end.");
  d.required("radius", s.radius, "m", above(0), "Distance of the surface from the segment.");
}

static void describe(Describe& d, CylinderSpec& s) {
  d.required("a", s.a, "m", any(), "Centre of one end.");
  d.required("b", s.b, "m", any(), "Centre of the other end.");
  d.required("radius", s.radius, "m", above(0), "Radius.");
  if (given(d, {"a", "b"}) && length(d, s.b - s.a) == 0)
    d.fault("b", "the ends a and b coincide, so the cylinder has no direction");
}

static void describe(Describe& d, EllipsoidSpec& s) {
  d.required("centre", s.centre, "m", any(), "Centre.");
  d.required("radii", s.radii, "m", any(), "Half axes along x, y, z.");
  for (int a = 0; a < dimensions(d); ++a)
    if (d.given("radii") && !(s.radii[a] > 0))
      d.fault("radii",
              fmt::format("radii must be above 0, and along {} it is {}", "xyz"[a], s.radii[a]));
}

static void describe(Describe& d, PolygonSpec& s) {
  d.required("points", s.points, "m", any(), "Corners in order, in either sense; 2D only.");
  if (!d.given("points")) return;
  if (s.points.size() < 3)
    d.fault("points", fmt::format("a polygon needs 3 points or more and has {}", s.points.size()));
  else if (area(s.points) == 0)
    d.fault("points", "the polygon has no area; give its corners in order around the outline");
}

static void describe(Describe& d, MeshSpec& s) {
  d.required("file", s.file, "OBJ, PLY or STL file, from the scene's folder. Closed to be filled.");
}

static void describe(Describe& d, VolumeSpec& s) {
  d.required("file", s.file,
             "OpenVDB file, from the scene's folder: a level set, or with `least_density` a "
             "density. Its surface becomes triangles of a voxel's size as it is read.");
  d("grid", s.grid, "Name of its grid; needed where several can be meant.");
  d("least_density", s.least_density, "", any(),
    "Of a density (a fog volume), above which it is solid. A level set needs none: it is solid "
    "below zero.");
}

static void describe(Describe& d, HeightMapSpec& s) {
  d.required(
      "file", s.file,
      "Greyscale PNG of 8 or 16 bits, or an ESRI ASCII grid (.asc) of heights in metres: columns "
      "along x, rows along z, the first at min. Pixels finer than the spacing only cost time.");
  d.required("min", s.min, "m", any(),
             "Lower corner: black is at its y, and what a grid gives as NODATA_value.");
  d.required("max", s.max, "m", any(),
             "Upper corner: white is at its y; no height of a grid lies above it.");
  check_order(d, s.min, s.max);
}

static void describe(Describe& d, KeyframeSpec& s) {
  d.required("time", s.time, "s", any(), "When.");
  d.vector("translate", s.translate, "m", "Shift from where the shape was put.");
  if (d.dim() != 2) d.vector("axis", s.axis, "", "Axis of the turn, any length; in 2D always z.");
  d("angle", s.angle, "deg", any(), "Turn about the axis through the motion's centre.");
  check_axis(d, "axis", s.axis);
}

void describe(Describe& d, TransformSpec& s) {
  d.vector("translate", s.translate, "m", "Shift, applied last.");
  if (d.dim() != 2) d.vector("axis", s.axis, "", "Axis of the turn, any length; in 2D always z.");
  d("angle", s.angle, "deg", any(), "Turn about the axis through the origin.");
  d("scale", s.scale, "", above(0),
    "Size factor, applied first: 1e-3 brings millimetres to metres.");
  check_axis(d, "axis", s.axis);
}

// What was read stands in the scene from then on, so that a run is whole without the file.
static void take_keyframes(Describe& d, MotionSpec& s) {
  FileName file;
  d("file", file,
    "JSON file with `keyframes`, in place of them here: of a body of another run `rtsim convert "
    "--to keyframes` writes one, for a shape in the body's own axes.");
  if (file.path.empty()) return;
  if (!s.keyframes.empty())
    return d.fault("file", "keyframes stand here and in a file; give one of them");
  try {
    const std::string problems = read_json_file(file.path, d.dim(), [&](Describe& from) {
      from.list("keyframes", s.keyframes, "");
      if (s.keyframes.empty()) from.fault("keyframes", "must hold at least one");
    });
    if (!problems.empty()) d.fault("file", "cannot be used:\n" + problems);
  } catch (const Error& e) {
    d.fault("file", e.what());
  }
}

void describe(Describe& d, MotionSpec& s) {
  d.vector("velocity", s.velocity, "m/s", "Constant velocity, of the centre too.");
  if (d.dim() != 2) d.vector("spin_axis", s.spin_axis, "", "Axis of the spin; in 2D always z.");
  d("spin", s.spin, "rad/s", any(), "Rate of turn about the axis through the centre.");
  d.vector("centre", s.centre, "m", "Point that spin and keyframes turn about, at time 0.");
  d.list("keyframes", s.keyframes,
         "Poses joined linearly in time, held before the first and after the last. In place of "
         "velocity and spin.");
  take_keyframes(d, s);
  check_axis(d, "spin_axis", s.spin_axis);
  if (!s.keyframes.empty() && (norm(s.velocity) != 0 || s.spin != 0))
    d.fault("keyframes",
            "keyframes cannot be given together with velocity or spin; give one of them");
  for (std::size_t i = 1; i < s.keyframes.size(); ++i)
    if (!(s.keyframes[i].time > s.keyframes[i - 1].time))
      d.fault("keyframes", fmt::format("times must rise, and keyframe {} at {} s follows {} s", i,
                                       s.keyframes[i].time, s.keyframes[i - 1].time));
}

namespace {

constexpr const char* shape_keys[] = {
    "box",  "sphere",     "plane",  "capsule", "cylinder",     "ellipsoid", "polygon",
    "mesh", "height_map", "volume", "union",   "intersection", "difference"};

void check_one_shape(Describe& d) {
  std::string found;
  int count = 0;
  for (const char* key : shape_keys)
    if (d.given(key)) found += fmt::format("{}{}", count++ ? ", " : "", key);
  if (count == 0) d.fault("", fmt::format("needs a shape, one of {}", fmt::join(shape_keys, ", ")));
  if (count > 1)
    d.fault("", fmt::format("needs exactly one shape and has {}; a union takes several", found));
}

void check_operands(Describe& d, const char* key, std::size_t count, std::size_t least) {
  if (d.given(key) && count < least)
    d.fault(key,
            fmt::format("needs {} shape{} or more and has {}", least, least > 1 ? "s" : "", count));
}

void check_dimension(Describe& d) {
  if (d.dim() == 3 && d.given("polygon"))
    d.fault("polygon", "is a shape of 2D scenes; in 3D a mesh file can give any outline");
  for (const char* key : {"mesh", "height_map", "volume"})
    if (d.dim() == 2 && d.given(key))
      d.fault(key, "is a shape of 3D scenes; in 2D a polygon can give any outline");
}

}  // namespace

void describe(Describe& d, ShapeSpec& s) {
  d.nested("box", s.box, "Box along the axes.");
  d.nested("sphere", s.sphere, "Sphere; in 2D a disc.");
  d.nested("plane", s.plane, "Half space; infinite, so it can be a boundary but not filled.");
  d.nested("capsule", s.capsule, "Cylinder with half spheres on its ends.");
  d.nested("cylinder", s.cylinder, "Cylinder with flat ends; in 2D a rectangle.");
  d.nested("ellipsoid", s.ellipsoid, "Ellipsoid; in 2D an ellipse.");
  d.nested("polygon", s.polygon, "Polygon, in 2D.");
  d.nested("mesh", s.mesh, "Triangle mesh from a file, in 3D.");
  d.nested("height_map", s.height_map,
           "Terrain from a picture or a grid of heights, solid below it, in 3D.");
  d.nested("volume", s.volume, "Solid of a level set or a density on voxels, in 3D.");
  d.list("union", s.any_of, "Inside where any of these is.", "shape");
  d.list("intersection", s.all_of, "Inside where all of these are.", "shape");
  d.list("difference", s.difference, "The first without the others.", "shape");
  d("inside", s.inside, "Turns the solid inside out: a tank is what lies outside its box.");
  d.nested("transform", s.transform, "Where the shape stands: scaled, then turned, then shifted.");
  check_one_shape(d);
  check_operands(d, "union", s.any_of.size(), 1);
  check_operands(d, "intersection", s.all_of.size(), 1);
  check_operands(d, "difference", s.difference.size(), 2);
  check_dimension(d);
}

}  // namespace rtsim
