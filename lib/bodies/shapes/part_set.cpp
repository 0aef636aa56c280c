#include "bodies/shapes/part_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"

namespace rtsim {

namespace {

// Edges that stick out by more than this angle [rad] are felt as such; bodies slide over the rest.
constexpr double flat_angle = 0.087;

Vec3d normal_of(const Vec3d* p) {
  const Vec3d n = cross(p[1] - p[0], p[2] - p[0]);
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : n;
}

class Edges {
 public:
  explicit Edges(const TriangleMesh& m) : mesh_(m) {
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) around_[key(int(t), k)].push_back(int(t));
  }

  // Whether edge k of a triangle is one of the surface's own, seen from its front or back. Edges
  // without neighbours are.
  bool sticks_out(int t, int k, bool back) const {
    const std::vector<int>& both = around_.at(key(t, k));
    if (both.size() != 2) return true;
    Vec3d own[3], other[3];
    corners(t, own), corners(both[0] == t ? both[1] : both[0], other);
    Vec3d n = normal_of(own);
    if (back) n = -n;
    const double cosine = dot(normal_of(own), normal_of(other));
    double over = 0;  // of the neighbour's corners
    for (const Vec3d& x : other) {
      const double d = dot(x - own[k], n);
      if (std::abs(d) > std::abs(over)) over = d;
    }
    return over < 0 && cosine < std::cos(flat_angle);
  }
  void corners(int t, Vec3d* p) const {
    for (int k = 0; k < 3; ++k)
      p[k] = mesh_.vertices[std::size_t(mesh_.triangles[std::size_t(t)][std::size_t(k)])];
  }

 private:
  std::pair<int, int> key(int t, int k) const {
    const auto& c = mesh_.triangles[std::size_t(t)];
    return std::minmax(int(c[std::size_t(k)]), int(c[std::size_t((k + 1) % 3)]));
  }
  const TriangleMesh& mesh_;
  std::map<std::pair<int, int>, std::vector<int>> around_;
};

// A height map's rim lies outside of its box.
bool lies_within(const Vec3d* p, const ShapePart& box) {
  const Vec3d c = (1.0 / 3) * (p[0] + p[1] + p[2]);
  for (int a = 0; a < 3; ++a)
    if (c[a] < box.a[a] || c[a] > box.b[a]) return false;
  return true;
}

}  // namespace

MeshParts::MeshParts(const ShapePart& mesh, const ShapePart* within)
    : nodes(mesh.tree->nodes()),
      rotation(mesh.rotation),
      translation(mesh.translation),
      scale(mesh.scale),
      sides(mesh.normals.sides.empty() ? 2 : 1) {
  const TriangleMesh& m = mesh.tree->mesh();
  const Edges edges(m);
  for (int t = 0; t < int(m.triangles.size()); ++t) {
    Vec3d p[3];
    edges.corners(t, p);
    if (within) taken.push_back(lies_within(p, *within));
    for (int s = 0; s < sides; ++s) {
      Side side{};
      for (int k = 0; k < 3; ++k) {
        const int from = s == 0 ? k : (3 - k) % 3;  // backwards: 0, 2, 1
        side.corner[k] = translation + scale * rotation.apply(p[from]);
        const int edge = s == 0 ? k : 2 - k;  // from corner k to the next
        side.open |= int(edges.sticks_out(t, edge, s == 1)) << k;
      }
      triangles.push_back(side);
    }
  }
}

namespace {

using rigid::Part;
using rigid::PartKind;

PartKind kind_of(ConvexPart::Kind k, int dim) {
  switch (k) {
    case ConvexPart::Kind::sphere:
      return PartKind::sphere;
    case ConvexPart::Kind::capsule:
      return PartKind::capsule;
    case ConvexPart::Kind::cylinder:
      return dim == 2 ? PartKind::hull : PartKind::cylinder;
    case ConvexPart::Kind::box:
      return PartKind::box;
    case ConvexPart::Kind::hull:
      return PartKind::hull;
  }
  throw Error(ExitCode::internal, "a convex part has no kind");
}

Vec3d unit(const Vec3d& v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : v;
}

// From eight corners in bits x, y, z; in the plane from four, counter-clockwise.
template <int D>
void measure_box(const std::vector<Vec3d>& p, Part<D>& part) {
  constexpr std::size_t ends[2][3] = {{1, 3}, {1, 2, 4}};
  for (std::size_t a = 0; a < D; ++a) {
    const Vec3d along = p[ends[D - 2][a]] - p[0];
    part.axes[a] = narrow<D>(unit(along)), part.half[int(a)] = Real(0.5 * norm(along));
  }
}

// Half of the least width across a face.
double inner_half(const std::vector<Vec3d>& p, const std::vector<std::vector<int>>& faces) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& f : faces) {
    const auto at = [&](std::size_t k) { return p[std::size_t(f[k])]; };
    Vec3d n = f.size() > 2 ? Vec3d{} : cross(at(1) - at(0), Vec3d{{0, 0, 1}});
    for (std::size_t k = 2; k < f.size(); ++k) n = n + cross(at(k - 1) - at(0), at(k) - at(0));
    double deepest = 0;
    for (const Vec3d& x : p) deepest = std::max(deepest, dot(at(0) - x, unit(n)));
    least = std::min(least, 0.5 * deepest);
  }
  return least;
}

std::vector<std::vector<int>> sides_of(std::size_t corners) {
  std::vector<std::vector<int>> r;
  for (std::size_t k = 0; k < corners; ++k) r.push_back({int(k), int((k + 1) % corners)});
  return r;
}

Vec3d mean_of(const std::vector<Vec3d>& p) {
  Vec3d sum{};
  for (const Vec3d& x : p) sum = sum + x;
  return (1 / double(p.size())) * sum;
}

void measure_cylinder(const std::vector<Vec3d>& p, Part<3>& part) {
  part.axes[0] = narrow<3>(unit(p[1] - p[0])), part.half[0] = Real(0.5 * norm(p[1] - p[0]));
}
void measure_cylinder(const std::vector<Vec3d>&, Part<2>&) {}

std::vector<Vec3d> flat_cylinder(const ConvexPart& c) {
  const Vec3d along = unit(c.points[1] - c.points[0]);
  const Vec3d across = c.radius * Vec3d{{-along[1], along[0], 0}};
  return {c.points[0] + across, c.points[0] - across, c.points[1] - across, c.points[1] + across};
}

}  // namespace

template <int D>
PartSet<D>::PartSet(const Exec& ex)
    : kept_parts_(ex),
      kept_points_(ex),
      kept_normals_(ex),
      kept_faces_(ex),
      kept_corners_(ex),
      kept_edges_(ex) {}

template <int D>
double PartSet<D>::inner(const ConvexPart& c, const std::vector<Vec3d>& points) const {
  if (c.kind == ConvexPart::Kind::sphere || c.kind == ConvexPart::Kind::capsule) return c.radius;
  if (D == 2) return inner_half(points, sides_of(points.size()));
  if (c.kind == ConvexPart::Kind::cylinder)
    return std::min(c.radius, 0.5 * norm(points[1] - points[0]));
  return inner_half(points, c.faces);
}

template <int D>
void PartSet<D>::add(const ConvexPart& c) {
  Part<D> p{};
  p.kind = kind_of(c.kind, D);
  const bool flat = D == 2 && c.kind == ConvexPart::Kind::cylinder;
  const std::vector<Vec3d> points = flat ? flat_cylinder(c) : c.points;
  if (D == 2 && points.size() > std::size_t(rigid::most_corners))
    throw Error(ExitCode::bad_input,
                fmt::format("a body has {} corners; more than {} cannot touch: leave some away",
                            points.size(), rigid::most_corners));
  p.first_point = Index(points_.size()), p.points = Index(points.size());
  p.radius = flat ? 0 : Real(c.radius);
  double reach = 0;
  for (const Vec3d& x : points) {
    const Vec3d along = points[(std::size_t(&x - points.data()) + 1) % points.size()] - x;
    points_.push_back(narrow<D>(x)),
        normals_.push_back(narrow<D>(unit({{along[1], -along[0], 0}})));
    reach = std::max(reach, norm(x));
  }
  p.reach = Real((reach + c.radius) * (1 + 1e-6));
  p.centre = narrow<D>(mean_of(points));
  if (p.kind == PartKind::box) measure_box(points, p);
  if (p.kind == PartKind::cylinder) measure_cylinder(points, p);
  p.inner = Real(inner(c, points));
  add_faces(c, p);
  parts_.push_back(p);
}

// Every edge once, as the face with the lower number goes along it.
template <int D>
void PartSet<D>::add_faces(const ConvexPart& c, Part<D>& p) {
  p.first_face = Index(faces_.size()), p.first_edge = Index(edges_.size());
  if (D == 2) return;
  std::map<std::pair<int, int>, int> edge_of;
  for (const std::vector<int>& face : c.faces) {
    if (face.size() > std::size_t(rigid::most_corners))
      throw Error(ExitCode::bad_input,
                  fmt::format("a body has a face of {} corners; more than {} cannot touch: leave "
                              "some away",
                              face.size(), rigid::most_corners));
    const int number = int(faces_.size()) - p.first_face;
    rigid::PartFace f{{}, Index(corners_.size()), Index(face.size())};
    Vec3d normal{};
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int from = face[k], to = face[(k + 1) % face.size()];
      normal = normal + cross(c.points[std::size_t(from)] - c.points[std::size_t(face[0])],
                              c.points[std::size_t(to)] - c.points[std::size_t(face[0])]);
      const auto key = std::minmax(from, to);
      const auto [it, fresh] = edge_of.insert({key, int(edges_.size()) - p.first_edge});
      if (fresh)
        edges_.push_back({from, to, number, number});
      else
        edges_[std::size_t(p.first_edge + it->second)].right = number;
      corners_.push_back({from, it->second});
    }
    f.normal = narrow<3>(unit(normal));
    faces_.push_back(f);
  }
  p.faces = Index(faces_.size()) - p.first_face, p.edges = Index(edges_.size()) - p.first_edge;
}

template <int D>
void PartSet<D>::add_plane(const Vec3d& point, const Vec3d& normal) {
  Part<D> p{};
  p.kind = PartKind::plane;
  p.first_point = Index(points_.size()), p.points = 1;
  points_.push_back(narrow<D>(point)), normals_.emplace_back();
  p.axes[0] = narrow<D>(unit(normal));
  parts_.push_back(p);
}

template <int D>
Index PartSet<D>::add(const BodyShape& shape) {
  const Index first = size();
  for (const ConvexPart& c : shape.parts) add(c);
  return first;
}

template <int D>
void PartSet<D>::add_triangle(const MeshParts::Side& side) {
  ConvexPart c{ConvexPart::Kind::hull, {side.corner[0], side.corner[1], side.corner[2]}, {}};
  c.faces = {{0, 1, 2}};
  add(c);
  parts_.back().kind = PartKind::triangle, parts_.back().open = side.open;
  parts_.back().inner = 0;
}

// Stands for the whole mesh; the triangles come right behind.
template <int D>
void PartSet<D>::add_mesh(MeshParts mesh, Index solid) {
  Part<D> p{};
  p.kind = PartKind::mesh;
  const Bounds& box = mesh.nodes[0].box;
  const Vec3d middle = 0.5 * (box.min + box.max);
  p.centre = narrow<D>(mesh.translation + mesh.scale * mesh.rotation.apply(middle));
  p.half = narrow<D>((0.5 * mesh.scale * (1 + 1e-6)) * (box.max - box.min));
  for (int a = 0; a < D; ++a) {
    Vec3d unit_vector{};
    unit_vector[a] = 1;
    p.axes[a] = narrow<D>(mesh.rotation.apply(unit_vector));
  }
  p.reach = norm(p.centre) + norm(p.half);
  parts_.push_back(p);
  mesh.first_part = size();
  for (const MeshParts::Side& t : mesh.triangles) add_triangle(t);
  mesh.triangles.clear();
  if (mesh.sides == 1) {
    mesh.inside = size();
    add_field(solid), parts_.back().deep = true;
  }
  meshes_.push_back(std::move(mesh));
}

template <int D>
void PartSet<D>::add_field(Index solid) {
  Part<D> p{};
  p.kind = PartKind::field, p.solid = solid;
  parts_.push_back(p);
}

template <int D>
std::vector<rigid::Item> PartSet<D>::add(Index body, const BoundaryParts& b, Index solid) {
  std::vector<rigid::Item> items;
  const Index first = size();
  const auto item = [&](Index part) { items.push_back({body, part, std::uint32_t(part - first)}); };
  for (const ConvexPart& c : b.convex) item(size()), add(c);
  for (const BoundaryParts::Plane& p : b.planes) item(size()), add_plane(p.point, p.normal);
  for (std::size_t k = 0; k < b.meshes.size(); ++k)
    item(size()), add_mesh(MeshParts(*b.meshes[k], b.within[k]), solid);
  return items;
}

template <int D>
void PartSet<D>::upload() {
  kept_parts_.upload(parts_), kept_points_.upload(points_), kept_normals_.upload(normals_),
      kept_faces_.upload(faces_);
  kept_corners_.upload(corners_), kept_edges_.upload(edges_);
}

template <int D>
rigid::Parts<D> PartSet<D>::view() const {
  return {kept_parts_.span(), kept_points_.span(),  kept_normals_.span(),
          kept_faces_.span(), kept_corners_.span(), kept_edges_.span()};
}

template class PartSet<2>;
template class PartSet<3>;

}  // namespace rtsim
