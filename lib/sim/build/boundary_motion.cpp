#include "sim/build/boundary_motion.h"

#include "base/nearest_on_triangle.h"
#include "boundary/place_bound.h"
#include "boundary/place_samples.h"
#include "shapes/triangle_tree.h"
#include "stage/kernel_pose.h"

namespace rtsim {

namespace {

using boundary::Bound;

template <int D>
void place(World& world, const std::string& samples, const Pose& pose) {
  Table& t = world.table(samples);
  boundary::place_samples<D>(world.exec, to_kernel(pose), t.column<const Vec<D>>("local"),
                             t.column<Vec<D>>("position"), t.column<Vec<D>>("velocity"));
}

void write_pose(World& world, const std::string& table, const Pose& p) {
  const Vec3d rows[pose_rows] = {p.row[0],   p.row[1],           p.row[2], p.translation,
                                 p.velocity, p.angular_velocity, p.centre};
  world.exec.upload(world.table(table).column<Vec3d>("pose").data, rows, sizeof rows);
}

// To the nearest triangle of the mesh at rest.
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

class BoundaryMotion final : public Stage {
 public:
  BoundaryMotion(World& world, std::vector<MovingBoundary> moving) : moving_(std::move(moving)) {
    for (const MovingBoundary& m : moving_) {
      bound_.emplace_back();
      for (std::size_t s = 0; s < m.samples.size(); ++s) bound_.back().emplace_back(world.exec);
    }
  }

  void advance(World& world, const Step& step) override { put(world, step.end(), step.dt); }
  void refresh(World& world, double time) override { put(world, time, 0); }

 private:
  void put(World& world, double time, double dt) {
    for (std::size_t k = 0; k < moving_.size(); ++k)
      if (moving_[k].deformation)
        deform(world, moving_[k], bound_[k], time, dt);
      else
        move(world, moving_[k], time);
  }

  // Stages take samples away that a periodic box has twice, once they are made.
  static void bind(World& world, const std::string& samples, const DeformingMesh& mesh,
                   Buffer<Bound>& to) {
    if (to.size() == std::size_t(world.table(samples).rows())) return;
    const TriangleTree tree(mesh.rest());
    std::vector<Bound> bound;
    for (const Vec<3>& x : world.table(samples).download<Vec<3>>("local"))
      bound.push_back(bound_to(tree, widen(x)));
    to = Buffer<Bound>(world.exec, std::span<const Bound>(bound));
  }

  static void move(World& world, const MovingBoundary& m, double time) {
    const Pose pose = pose_at(m.motion, time);
    for (const std::string& samples : m.samples)
      world.dim == 2 ? place<2>(world, samples, pose) : place<3>(world, samples, pose);
    if (const std::string poses = pose_table(m.boundary); world.has_table(poses))
      write_pose(world, poses, pose);
  }

  static void deform(World& world, const MovingBoundary& m, std::vector<Buffer<Bound>>& bound,
                     double time, double dt) {
    const DeformingMesh::State state = m.deformation->at(time, m.motion, dt);
    Table& corners = world.table(corner_table(m.boundary));
    upload(world, corners.column<Vec<3>>("position"), state.position);
    upload(world, corners.column<Vec<3>>("velocity"), state.velocity);
    for (std::size_t s = 0; s < m.samples.size(); ++s) {
      Table& t = world.table(m.samples[s]);
      bind(world, m.samples[s], *m.deformation, bound[s]);
      boundary::place_bound(world.exec, bound[s].span(), corners.column<const Vec<3>>("position"),
                            corners.column<const Vec<3>>("velocity"), t.column<Vec<3>>("position"),
                            t.column<Vec<3>>("velocity"));
    }
  }

  static void upload(World& world, Span<Vec<3>> to, const std::vector<Vec3d>& from) {
    std::vector<Vec<3>> narrowed;
    narrowed.reserve(from.size());
    for (const Vec3d& x : from) narrowed.push_back(narrow<3>(x));
    world.exec.upload(to.data, narrowed.data(), narrowed.size() * sizeof narrowed[0]);
  }

  std::vector<MovingBoundary> moving_;
  std::vector<std::vector<Buffer<Bound>>> bound_;  // of each one's samples, where it deforms
};

}  // namespace

std::unique_ptr<Stage> make_boundary_motion(World& world, std::vector<MovingBoundary> moving) {
  return std::make_unique<BoundaryMotion>(world, std::move(moving));
}

}  // namespace rtsim
