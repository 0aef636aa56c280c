#include "boundaries/contact_solid.h"

#include <fmt/format.h>

#include <algorithm>

#include "boundaries/narrowed.h"

namespace rtsim {

namespace {

using Solid = ShapePart::Kind;
using contact::Part;

Part::Kind kind_of(Solid k) {
  switch (k) {
    case Solid::box:
      return Part::Kind::box;
    case Solid::plane:
      return Part::Kind::plane;
    case Solid::capsule:
      return Part::Kind::capsule;
    case Solid::cylinder:
      return Part::Kind::cylinder;
    case Solid::ellipsoid:
      return Part::Kind::ellipsoid;
    case Solid::polygon:
      return Part::Kind::polygon;
    case Solid::mesh:
      return Part::Kind::mesh;
    case Solid::inside_out:
      return Part::Kind::inside_out;
    case Solid::least:
      return Part::Kind::least;
    case Solid::greatest:
      return Part::Kind::greatest;
  }
  throw Error(ExitCode::internal, "a shape has a part of no kind");
}

bool is_solid(Solid k) {
  return k != Solid::inside_out && k != Solid::least && k != Solid::greatest;
}
bool is_convex(Solid k) {
  return k != Solid::mesh && k != Solid::polygon && k != Solid::inside_out && k != Solid::least;
}

// Distances that wait for an operation, at most.
int depth_of(const std::vector<ShapePart>& parts) {
  int depth = 0, most = 0;
  for (const ShapePart& p : parts) {
    depth += is_solid(p.kind) ? 1 : p.kind == Solid::inside_out ? 0 : -1;
    most = std::max(most, depth);
  }
  return most;
}

}  // namespace

ContactSolid::ContactSolid(World& world, const std::vector<std::string>& boundaries)
    : ex_(world.exec),
      carried_(ex_),
      convex_(boundaries.size() == 1),
      parts_(ex_),
      meshes_(ex_),
      corners_(ex_) {
  std::vector<Part> parts;
  for (const std::string& name : boundaries) {
    const Object& boundary = world.object(name);
    const std::vector<ShapePart> list = [&] {
      try {
        return ShapeParts(*boundary.shape).list();
      } catch (const Error& e) {
        throw Error(e.code(), fmt::format("'{}' {}", name, e.what()));
      }
    }();
    if (depth_of(list) + 1 > contact::most_pending)
      throw Error(ExitCode::bad_input,
                  fmt::format("'{}' nests shapes more than {} deep; write it with fewer brackets",
                              name, contact::most_pending - 1));
    for (const ShapePart& p : list) {
      convex_ = convex_ && is_convex(p.kind);
      parts.push_back(converted(p));
    }
    if (name != boundaries.front()) parts.push_back(converted({.kind = Solid::least}));
    if (boundary.moving) motion_ = *boundary.motion;
    if (boundary.deformation) stand_deformed(world, boundary, parts);
  }
  parts_.upload(parts), meshes_.upload(views_), corners_.upload(outlines_);
}

ContactSolid::ContactSolid(World& world, const std::vector<ShapePart>& list)
    : ex_(world.exec),
      carried_(ex_),
      convex_(list.size() == 1),
      parts_(ex_),
      meshes_(ex_),
      corners_(ex_) {
  std::vector<Part> parts;
  for (const ShapePart& p : list) parts.push_back(converted(p));
  parts_.upload(parts), meshes_.upload(views_), corners_.upload(outlines_);
}

// Its corners are where they are, with its motion and what placed the shape.
void ContactSolid::stand_deformed(World& world, const Object& boundary, std::vector<Part>& parts) {
  surface_.emplace(world, boundary);
  motion_.reset();
  for (Part& p : parts) {
    if (p.kind != Part::Kind::mesh) continue;
    p.scale = 1, p.translation = {};
    for (int k = 0; k < 3; ++k) p.rotation[k] = narrow<3>(Rotation{}.row[k]);
  }
  views_ = {surface_->view()};
}

void ContactSolid::deform(World& world, double before_end) {
  surface_->update(world, before_end);
  views_ = {surface_->view()};
  meshes_.upload(views_);
}

Span<const Vec<3>> ContactSolid::carry(Span<const Vec<3>> x, Real h) {
  carried_.resize(std::size_t(x.size));
  contact::carry(ex_, surface_->view(), surface_->velocity(), h, x, carried_.span());
  return carried_.span();
}

Pose ContactSolid::pose(double time) const { return motion_ ? pose_at(*motion_, time) : Pose{}; }

Part ContactSolid::converted(const ShapePart& p) {
  Part r{};
  r.kind = kind_of(p.kind);
  r.a = narrow<3>(p.a), r.b = narrow<3>(p.b), r.radius = Real(p.radius), r.scale = Real(p.scale);
  for (int k = 0; k < 3; ++k) r.rotation[k] = narrow<3>(p.rotation.row[k]);
  r.translation = narrow<3>(p.translation);
  if (p.tree) r.mesh = Index(kept_.size()), add_mesh(p);
  if (p.kind == Solid::polygon) {
    r.mesh = Index(outlines_.size()), r.corners = Index(p.corners.size());
    for (const Vec3d& x : p.corners) outlines_.push_back(narrow<3>(Vec3d{{x[0], x[1], 0}}));
  }
  return r;
}

void ContactSolid::add_mesh(const ShapePart& p) {
  const TriangleMesh& m = p.tree->mesh();
  const auto buffer = [this]<class T>(const std::vector<T>& values) {
    return Buffer<T>(ex_, std::span<const T>(values));
  };
  kept_.push_back({buffer(rounded(p.tree->nodes())), buffer(narrowed(m.vertices)),
                   buffer(narrowed(p.normals.corners)), buffer(narrowed(p.normals.edges)),
                   buffer(corners_of(m.triangles)), buffer(corners_of(p.normals.sides))});
  const Mesh& k = kept_.back();
  views_.push_back({k.nodes.span(), k.vertices.span(), k.triangles.span(), k.sides.span(),
                    k.corner_normals.span(), k.edge_normals.span()});
}

}  // namespace rtsim
