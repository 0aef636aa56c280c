#include "bodies/body_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "bodies/material.h"

namespace rtsim {

static void describe(Describe& d, HullSpec& h) {
  d("points", h.points, "m", any(), "The hull is around these.");
  d("file", h.file, "Or around the corners of this OBJ, PLY or STL file; in 3D.");
  d.nested("transform", h.transform, "Where it stands: scaled, then turned, then shifted.");
  if (d.dim() == 0) return;
  if (h.points.empty() == h.file.path.empty()) d.fault("", "give one of \"points\" and \"file\"");
  if (d.dim() == 2 && !h.file.path.empty()) d.fault("file", "is for 3D scenes; give \"points\"");
}

static void describe(Describe& d, BodyArraySpec& a) {
  d.required("count", a.count, "", any(), "Bodies along x and y, in 3D also along z.");
  d.vector("step", a.step, "m", "From each to the next along each axis.");
  d("jitter", a.jitter, "m", at_least(0), "Each is shifted by up to this along every axis.");
  d("random_rotation", a.random_rotation,
    "Each is turned about its centre of mass, all orientations being as likely.");
  if (!d.given("count")) return;
  const bool whole = std::ranges::all_of(
      a.count, [](double n) { return n >= 1 && n <= 1e6 && n == std::floor(n); });
  if (int(a.count.size()) != d.dim() || !whole)
    d.fault("count", fmt::format("must be {} whole numbers of at least 1", d.dim()));
}

static void describe(Describe& d, BodyPyramidSpec& p) {
  d.required("rows", p.rows, "", between(1, 10000),
             "Layers: n make n (n + 1) (2n + 1) / 6 "
             "bodies, in 2D n (n + 1) / 2.");
  d("gap", p.gap, "m", at_least(0), "Between neighbours of a layer; layers touch.");
}

namespace {

void check_letters(Describe& d, const std::string& name) {
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
      return d.fault("name", "must consist of letters, digits, _ and -, as it names series");
}

void check_shape(Describe& d) {
  if (d.dim() == 0) return;
  if (d.given("shape") == d.given("hull")) d.fault("", "give one of \"shape\" and \"hull\"");
}

void check_numbers(Describe& d, const BodySpec& b) {
  if (d.given("density") && d.given("mass"))
    d.fault("mass", "give \"density\" or \"mass\", not both");
  const std::size_t wanted = d.dim() == 2 ? 1 : 3;
  if (d.given("angular_velocity") && b.angular_velocity.size() != wanted &&
      !b.angular_velocity.empty())
    d.fault("angular_velocity",
            wanted == 1 ? "must be one number, [w], in 2D" : "must be three numbers");
  if (d.given("array") && d.given("pyramid"))
    d.fault("pyramid", "give \"array\" or \"pyramid\", not both");
}

}  // namespace

void describe(Describe& d, BodySpec& b) {
  d("name", b.name,
    "Letters, digits, _ and -: what the series of where it is call it; need not be given.");
  check_letters(d, b.name);
  std::optional<ShapeSpec> shape;
  if (!b.shape.empty()) shape = b.shape.front();
  d.nested("shape", shape,
           "Box, sphere, capsule, cylinder, ellipsoid, polygon, closed mesh, or a union of these. "
           "Ellipsoids, polygons and meshes weigh what they are and touch with their convex hull, "
           "unless \"convex_parts\" are more. What parts of a union share weighs twice.",
           "shape");
  b.shape.clear();
  if (shape) b.shape.push_back(std::move(*shape));
  d.nested(
      "hull", b.hull,
      "In place of a shape: a convex hull. It weighs what it is, or what the closed mesh does that "
      "it is around.");
  d("hull_corners", b.hull_corners, "", between(4, 255),
    "A hull in 3D has at most so many corners, those farthest out; contact costs more with each.");
  d("density", b.density, "kg/m^D", above(0), "Default: the object's.");
  d("convex_parts", b.convex_parts, "", between(1, 4096),
    "Meshes and polygons touch with at most so many convex parts that they are cut into, so that "
    "rings link and bowls hold; 1: with their convex hull. Contact costs more with each.");
  d("mass", b.mass, "kg", above(0), "In place of a density.");
  d.nested("material", b.material, "What is its own where it touches, in place of the stage's.");
  d.vector("velocity", b.velocity, "m/s", "Of the centre of mass at the start.");
  d("angular_velocity", b.angular_velocity, "rad/s", any(),
    "At the start: three numbers, in 2D one, [w], counter-clockwise; none: at rest.");
  d.nested("array", b.array, "Copies on a lattice, the first where the shape stands.");
  d.nested("pyramid", b.pyramid,
           "Copies in a pyramid: the shape stands in the middle of the lowest layer.");
  check_shape(d);
  check_numbers(d, b);
}

double estimate_rows(const BodySpec& b, int dim) {
  if (b.pyramid) {
    const double n = b.pyramid->rows;
    return dim == 2 ? n * (n + 1) / 2 : n * (n + 1) * (2 * n + 1) / 6;
  }
  double rows = 1;
  if (b.array)
    for (const double n : b.array->count) rows *= n;
  return rows;
}

}  // namespace rtsim
