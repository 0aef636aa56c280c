#include "sim/build/deforming_boundary.h"

#include "base/nearest_on_triangle.h"
#include "shapes/triangle_tree.h"
#include "sim/build/boundary_samples.h"

namespace rtsim {

namespace {

using boundary::Bound;
using Triple = VecT<std::int32_t, 3>;

// To the nearest triangle of the mesh before it is carried.
Bound bound_to(const TriangleTree& tree, const Vec3d& x) {
  const auto& corner = tree.mesh().triangles[std::size_t(tree.nearest(x).triangle)];
  Vec3d p[3];
  for (int k = 0; k < 3; ++k) p[k] = tree.mesh().vertices[std::size_t(corner[std::size_t(k)])];
  const OnTriangle<double> on = nearest_on_triangle(x, p);
  const auto unit = [](const Vec3d& v) { return norm(v) > 0 ? (1 / norm(v)) * v : Vec3d{}; };
  const Vec3d e = unit(p[1] - p[0]), n = unit(cross(p[1] - p[0], p[2] - p[0]));
  const Vec3d off = x - on.point;
  return {{{corner[0], corner[1], corner[2]}},
          narrow<3>(on.weight),
          narrow<3>(Vec3d{{dot(off, e), dot(off, cross(n, e)), dot(off, n)}})};
}

template <class T>
void upload(World& world, Span<T> to, const std::vector<T>& from) {
  world.exec.upload(to.data, from.data(), from.size() * sizeof(T));
}

void upload(World& world, Span<Vec<3>> to, const std::vector<Vec3d>& from) {
  std::vector<Vec<3>> narrowed;
  narrowed.reserve(from.size());
  for (const Vec3d& x : from) narrowed.push_back(narrow<3>(x));
  upload<Vec<3>>(world, to, narrowed);
}

}  // namespace

DeformingBoundary::DeformingBoundary(World& world, std::string boundary, MotionSpec motion,
                                     std::shared_ptr<const AnimatedShape> shape,
                                     std::vector<SampledFor> samples)
    : boundary_(std::move(boundary)), motion_(std::move(motion)), shape_(std::move(shape)) {
  for (SampledFor& s : samples) samples_.push_back({std::move(s), 0, Buffer<Bound>(world.exec)});
}

// Samples that came out of a checkpoint are those of the surface at its time.
void DeformingBoundary::put(World& world, double time, double dt) {
  const std::size_t now = shape_->surface_in(time, dt);
  const bool other = surface_ && *surface_ != now;
  Table& corners = world.table(corner_table(boundary_));
  if (surface_ != now || corners.revision() != revision_) lay_out(world, now);
  surface_ = now;
  const AnimatedShape::State state = shape_->at(time, motion_, dt);
  upload(world, corners.column<Vec<3>>("position"), state.position);
  upload(world, corners.column<Vec<3>>("velocity"), state.velocity);
  for (Samples& s : samples_) {
    Table& t = world.table(s.made.table);
    if (other && t.revision() == s.revision) sample_anew(world, s, now);
    if (t.revision() != s.revision || s.bound.size() == 0) bind(world, s, now);
    boundary::place_bound(world.exec, s.bound.span(), corners.column<const Vec<3>>("position"),
                          corners.column<const Vec<3>>("velocity"), t.column<Vec<3>>("position"),
                          t.column<Vec<3>>("velocity"));
  }
}

void DeformingBoundary::lay_out(World& world, std::size_t surface) {
  const TriangleMesh& own = shape_->surface(surface);
  std::vector<Triple> triangles;
  for (const auto& [a, b, c] : own.triangles) triangles.push_back({{a, b, c}});
  Table &corners = world.table(corner_table(boundary_)),
        &faces = world.table(face_table(boundary_));
  corners.resize(Index(own.vertices.size())), faces.resize(Index(triangles.size()));
  upload(world, corners.column<Vec3d>("own"), own.vertices);
  upload(world, faces.column<Triple>("corner"), triangles);
  revision_ = corners.revision();
}

void DeformingBoundary::sample_anew(World& world, Samples& s, std::size_t surface) {
  const auto solid = shape_->solid(shape_->surface(surface));
  put_samples(
      world, s.made.table,
      sample_surface(*solid, s.made.spacing, world.dim, solid->surface_bounds(), s.made.layers));
}

// Stages take samples away that a periodic box has twice, once they are made.
void DeformingBoundary::bind(World& world, Samples& s, std::size_t surface) {
  Table& t = world.table(s.made.table);
  const TriangleTree tree(shape_->surface(surface));
  std::vector<Bound> bound;
  for (const Vec<3>& x : t.download<Vec<3>>("local")) bound.push_back(bound_to(tree, widen(x)));
  s.bound.upload(bound);
  s.revision = t.revision();
}

}  // namespace rtsim
