#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "boundaries/deforming_surface.h"
#include "contact/boundary_contact.h"
#include "contact/solid.h"
#include "exec/buffer.h"
#include "shapes/motion.h"
#include "shapes/shape_parts.h"
#include "world/world.h"

namespace rtsim {

// Boundaries as kernels measure distances from them: several as their union, in one frame.
class ContactSolid {
 public:
  // While stages are made. Throws Error{bad_input} for shapes that cannot be touched.
  ContactSolid(World&, const std::vector<std::string>& boundaries);
  // What these parts make together, in postfix order.
  ContactSolid(World&, const std::vector<ShapePart>&);

  contact::Solid view() const { return {parts_.span(), meshes_.span(), corners_.span()}; }
  // Whether what slides along the surface can never meet it again.
  bool convex() const { return convex_; }
  // Where the boundaries are [s]; the identity where they never move.
  Pose pose(double time) const;
  bool moves() const { return motion_.has_value(); }
  // Of one that deforms: it stands where it is so many seconds before the end of the step, and
  // has carried points that were at x for h seconds until then (contact::Course).
  bool deforms() const { return surface_.has_value(); }
  void deform(World&, double before_end);
  Span<const Vec<3>> carry(Span<const Vec<3>> x, Real h);

 private:
  struct Mesh {
    Buffer<contact::BoxNode> nodes;
    Buffer<Vec<3>> vertices, corner_normals, edge_normals;
    Buffer<contact::Corners3> triangles, sides;
  };
  void add_mesh(const ShapePart&);
  void stand_deformed(World&, const Object& boundary, std::vector<contact::Part>&);
  contact::Part converted(const ShapePart&);

  Exec ex_;
  std::optional<MotionSpec> motion_;
  std::optional<DeformingSurface> surface_;
  Buffer<Vec<3>> carried_;
  bool convex_;
  std::deque<Mesh> kept_;
  Buffer<contact::Part> parts_;
  Buffer<contact::SurfaceMesh> meshes_;
  Buffer<Vec<3>> corners_;
  std::vector<contact::SurfaceMesh> views_;
  std::vector<Vec<3>> outlines_;
};

}  // namespace rtsim
